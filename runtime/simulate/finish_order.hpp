// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace gimbal::simulate {

/// Which of P workers is free first: a tournament in which every node keeps who lost there, so that a new time for the
/// winner meets one opponent a level. Ties go to the lower number.
/// @threads one at a time  @source tree of losers: Knuth, The Art of Computer Programming 3, section 5.4.1
class FinishOrder {
public:
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    /// @param times  [P] when each is free, >= 0 [ticks]
    /// @errors std::bad_alloc when P grows  @cost O(P)
    void start(std::span<const double> times) {
        leaves_ = std::bit_ceil(std::max<std::size_t>(times.size(), 2));
        losers_.resize(leaves_);
        entries_.resize(2 * leaves_);
        for (std::size_t i = 0; i < leaves_; ++i) {
            entries_[leaves_ + i] = {bits_of(i < times.size() ? times[i] : kNever), i};
        }
        for (std::size_t node = leaves_ - 1; node > 0; --node) {
            Entry winner = entries_[2 * node];
            Entry loser = entries_[2 * node + 1];
            if (loser.before(winner)) std::swap(winner, loser);
            entries_[node] = winner;
            losers_[node] = loser;
        }
        winner_ = entries_[1];
    }

    /// Who is free first.
    [[nodiscard]] std::uint32_t worker() const noexcept { return static_cast<std::uint32_t>(winner_.worker); }
    /// When; kNever: everybody has left. [ticks]
    [[nodiscard]] double time() const noexcept { return std::bit_cast<double>(winner_.time); }

    /// That worker is free again at `time`; kNever: it leaves. @cost O(log P), without a branch
    void replace(double time) noexcept {
        Entry best{bits_of(time), winner_.worker};
        for (std::size_t node = (leaves_ + best.worker) / 2; node > 0; node /= 2) {
            const Entry other = losers_[node];
            const bool loses = other.before(best);
            losers_[node] = {loses ? best.time : other.time, loses ? best.worker : other.worker};
            best = {loses ? other.time : best.time, loses ? other.worker : best.worker};
        }
        winner_ = best;
    }

private:
    struct Entry {
        std::uint64_t time = 0;  // bits of a double >= 0, which order as the numbers do
        std::uint64_t worker = 0;

        [[nodiscard]] bool before(const Entry& other) const noexcept {
            const auto earlier = static_cast<unsigned>(time < other.time);
            const auto tie = static_cast<unsigned>(time == other.time) & static_cast<unsigned>(worker < other.worker);
            return (earlier | tie) != 0;
        }
    };
    static std::uint64_t bits_of(double time) noexcept { return std::bit_cast<std::uint64_t>(time + 0.0); }

    std::size_t leaves_ = 0;
    std::vector<Entry> losers_;   // [leaves], from 1
    std::vector<Entry> entries_;  // [2 leaves] scratch of start()
    Entry winner_;
};

}  // namespace gimbal::simulate
