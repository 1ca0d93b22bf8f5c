// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "decide/choice_tree.hpp"

namespace gimbal::pin {

/// What our threads earn at every choice right now, and so what one more of them could expect there: what one thread
/// sees the others need not find out by moving. Forgotten where nobody of ours has been for a while.
///
///     one more expects   u max(n, cores) / max(n' + 1, cores)
///
/// with u and n the recent means of utility and threads there, and n' the threads there now: while cores are free one
/// more changes nothing, then all share. It takes whatever else runs there to be as large as it was.
/// @threads the owner's  @cost add: O(depth), promise: O(1)
/// @source seed 001, section 4.4.3 ("direct the search towards allocations which we believe will provide a better
///         outcome") and 4.4 (exchange of information); the formula is ours; test:
///         tests/unit/pinning/decide/promise_test.cpp
class Promises {
public:
    /// @param step    of the running means, in (0, 1]
    /// @param memory  [ticks]
    Promises(const ChoiceTree& tree, double step, std::uint64_t memory)
        : tree_(&tree), step_(step), memory_(memory), seen_(tree.size()) {}

    /// A thread that is at home at a choice earned this much in the last tick.
    void add(ChoiceId id, double utility) noexcept {
        seen_[id].sum += utility;
        ++seen_[id].count;
    }

    /// All of a tick has been added.
    void close(std::uint64_t now) noexcept {
        for (Seen& place : seen_) {
            if (place.count > 0) {
                const auto n = static_cast<double>(place.count);
                const bool known = place.last != 0 && place.last + memory_ > now;
                const double step = known ? step_ : 1;
                place.utility += step * (place.sum / n - place.utility);
                place.threads += step * (n - place.threads);
                place.last = now;
            }
            place.sum = 0;
            place.count = 0;
        }
    }

    /// @param threads  ours that are at home there now
    /// @return NaN: not known
    [[nodiscard]] double promise(ChoiceId id, int threads, std::uint64_t now) const noexcept {
        const Seen& place = seen_[id];
        if (place.last == 0 || place.last + memory_ <= now) return std::numeric_limits<double>::quiet_NaN();
        const double cores = tree_->at(id).cores;
        return place.utility * std::max(place.threads, cores) / std::max(threads + 1.0, cores);
    }

    void forget() noexcept { std::fill(seen_.begin(), seen_.end(), Seen{}); }

private:
    struct Seen {
        double sum = 0;          ///< of this tick
        std::size_t count = 0;   ///< of this tick
        double utility = 0;      ///< u
        double threads = 0;      ///< n
        std::uint64_t last = 0;  ///< tick; 0: never
    };
    const ChoiceTree* tree_;
    double step_;
    std::uint64_t memory_;
    std::vector<Seen> seen_;
};

}  // namespace gimbal::pin
