// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gimbal::mpi {

/// What a thief sees before it takes a part of a victim's queue.
struct StealView {
    double ratio = 0;   ///< part of what is left, in (0, 1]; 0: a fair share
    double cost_s = 0;  ///< time per grain on the victim [s]; 0: not known, then work is counted in grains
    double total = 0;   ///< work left in all queues that are seen [s, or grains], the victim's among them
    int ranks = 1;      ///< that can take part in it [count]
    double look_s = 0;  ///< time between two looks of a victim for thieves [s]
};

/// Whether stealing from a queue can end earlier than leaving it to its owner, who is not heard of before its next
/// look.
[[nodiscard]] inline bool worth_stealing(std::uint32_t left, double cost_s, double look_s) noexcept {
    return left > 0 && (cost_s <= 0 || left * cost_s >= look_s);
}

/// How much a thief takes. A fair share is one part in `ranks` of all that is left, as in guided self-scheduling, but
/// never more than half of this victim's, and no less than what lasts from one look to the next.
/// @param left  of the victim [grains], >= 1
/// @return in [1, left] [grains]
/// @errors none  @threads any  @cost O(1)
/// @source Polychronopoulos, Kuck 1987 (guided self-scheduling); README.md has why no part needs stealing again; test:
///         tests/mpi/steal/share_test.cpp
[[nodiscard]] inline std::uint32_t steal_amount(std::uint32_t left, const StealView& view) noexcept {
    if (view.ratio > 0) {
        const double part = std::round(view.ratio * left);
        return part < 1 ? 1 : part < left ? static_cast<std::uint32_t>(part) : left;
    }
    const double half = left - left / 2;
    const double unit = view.cost_s > 0 ? view.cost_s : 1;
    const double least = view.cost_s > 0 ? view.look_s / view.cost_s : 1;
    const double fair = view.total / (unit * view.ranks);
    return static_cast<std::uint32_t>(std::clamp(std::max(fair, least), 1.0, half));
}

}  // namespace gimbal::mpi
