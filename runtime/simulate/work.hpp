// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "measure/cost_profile.hpp"
#include "simulate/event_loop.hpp"

namespace gimbal::simulate {

/// Costs that are known for every iteration.
class ListedWork final : public Work {
public:
    using Work::time;
    ListedWork() = default;
    /// @param costs  [N], >= 0 [ticks]  @errors std::bad_alloc  @cost O(N)
    explicit ListedWork(std::span<const double> costs) { assign(costs); }

    /// Other costs; the storage stays. @cost O(N)
    void assign(std::span<const double> costs);

    [[nodiscard]] double time(Range range) const noexcept override { return before_[range.end] - before_[range.first]; }
    [[nodiscard]] std::uint64_t iterations() const noexcept { return before_.empty() ? 0 : before_.size() - 1; }
    [[nodiscard]] double total() const noexcept { return before_.empty() ? 0 : before_.back(); }

private:
    std::vector<double> before_;  // [N + 1] cost of all iterations before this one [ticks]
};

/// A part of a loop as a loop of its own: iteration i is first + i of the whole.
class PartWork final : public Work {
public:
    /// @param work  outlives this
    PartWork(const Work& work, std::uint64_t first) noexcept : work_(&work), first_(first) {}

    [[nodiscard]] double time(Range range) const noexcept override {
        return work_->time({first_ + range.first, first_ + range.end});
    }
    [[nodiscard]] double time(Range range, std::uint64_t chunks) const noexcept override {
        return work_->time({first_ + range.first, first_ + range.end}, chunks);
    }

private:
    const Work* work_;
    std::uint64_t first_;
};

/// Costs as a profile has them, stretched to another number of iterations and another total.
class ProfiledWork final : public Work {
public:
    using Work::time;
    /// @param profile     known; outlives this, and may learn meanwhile
    /// @param iterations  N [iterations], >= 1
    /// @param scale       on every cost: 1 leaves the total of the profile as it is, however many iterations
    ProfiledWork(const CostProfile& profile, std::uint64_t iterations, double scale = 1) noexcept
        : profile_(&profile), per_iteration_(1 / static_cast<double>(iterations)), scale_(scale) {}

    [[nodiscard]] double time(Range range) const noexcept override {
        return scale_ * (profile_->before(static_cast<double>(range.end) * per_iteration_) -
                         profile_->before(static_cast<double>(range.first) * per_iteration_));
    }

private:
    const CostProfile* profile_;
    double per_iteration_;
    double scale_;
};

/// Costs that are constant within each of a few bins of equal width: recorded or generated, and cheap to change.
class BinnedWork final : public Work {
public:
    using Work::time;
    BinnedWork() = default;

    /// @param weights     [bins] relative cost of an iteration in each bin, >= 0, not all 0
    /// @param iterations  N [iterations], >= 1
    /// @param total       cost of all iterations [ticks]
    /// @errors std::bad_alloc  @cost O(bins)
    void assign(std::span<const double> weights, std::uint64_t iterations, double total);

    [[nodiscard]] double time(Range range) const noexcept override { return before(range.end) - before(range.first); }
    [[nodiscard]] double total() const noexcept { return before_.empty() ? 0 : before_.back(); }

private:
    [[nodiscard]] double before(std::uint64_t iteration) const noexcept {
        const double at = static_cast<double>(iteration) * bins_per_iteration_;
        const auto last = before_.size() - 2;
        const auto bin = at < static_cast<double>(last) ? static_cast<std::size_t>(at) : last;
        return before_[bin] + (at - static_cast<double>(bin)) * (before_[bin + 1] - before_[bin]);
    }

    std::vector<double> before_;  // [bins + 1] [ticks]
    double bins_per_iteration_ = 0;
};

/// Costs that move from frame to frame: between two of them in proportion.
class KeyframedWork final : public Work {
public:
    using Work::time;
    KeyframedWork() = default;

    /// @param frames  >= 1, all for the same N
    /// @param at      [frames] ascending: where each stands, e.g. in [0, 1]
    KeyframedWork(std::vector<BinnedWork> frames, std::vector<double> at) noexcept
        : frames_(std::move(frames)), at_(std::move(at)) {}

    /// @param at  before the first and after the last frame these hold  @cost O(log frames)
    void move_to(double at) noexcept;

    [[nodiscard]] double time(Range range) const noexcept override {
        const double before = frames_[frame_].time(range);
        return share_ > 0 ? before + share_ * (frames_[frame_ + 1].time(range) - before) : before;
    }

private:
    std::vector<BinnedWork> frames_;
    std::vector<double> at_;
    std::size_t frame_ = 0;
    double share_ = 0;  // of the next frame
};

/// Work of which each worker is a team: a chunk of n iterations occupies n of its T threads, or all.
class TeamWork final : public Work {
public:
    TeamWork(const Work& work, std::uint32_t threads) noexcept : work_(&work), threads_(threads) {}

    [[nodiscard]] double time(Range range) const noexcept override { return time(range, 1); }
    [[nodiscard]] double time(Range range, std::uint64_t chunks) const noexcept override {
        const std::uint64_t size = (range.size() + chunks - 1) / chunks;
        if (size == 0) return 0;
        const std::uint64_t rounds = (size + threads_ - 1) / threads_;
        return work_->time(range) * static_cast<double>(rounds) / static_cast<double>(size);
    }

private:
    const Work* work_;
    std::uint32_t threads_;
};

}  // namespace gimbal::simulate
