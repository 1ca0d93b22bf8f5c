// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/pause.hpp"

namespace gimbal {

/// Marsaglia's xorshift. @param state  never 0  @threads its owner
inline std::uint64_t next_random(std::uint64_t& state) noexcept {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state;
}

/// Constrained scheduling: a request for shared work is let in with a probability, so that fewer workers hit the same
/// queue at the same time. A refused one waits a moment and draws again; after a few refusals it is let in.
/// @param random     the worker's own state  @param admission  probability, (0, 1]; 1 costs nothing
/// @cost at most 8 x 4 pauses, of 40 to 140 cycles each: about what the draws cost that it lets by
/// @source Kale, lw-sched (the constraint; there without a bound)
inline void await_admission(std::uint64_t& random, double admission) noexcept {
    constexpr int kRefusals = 8;
    constexpr int kPauses = 4;
    if (admission >= 1) return;
    for (int refused = 0; refused < kRefusals; ++refused) {
        if (static_cast<double>(next_random(random) >> 11U) * 0x1p-53 < admission) return;
        for (int i = 0; i < kPauses; ++i) relax();
    }
}

}  // namespace gimbal
