// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
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

}  // namespace gimbal::simulate
