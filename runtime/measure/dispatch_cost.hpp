// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/plan.hpp"

namespace gimbal {

/// Cost of drawing one chunk when nobody else draws: gimbal_share_next() timed on a counter of its own, best of a few
/// bursts, and what the program's way to it and back takes. Contention comes on top.
/// @return [ticks], > 0  @threads any  @cost some microseconds at the first call, then one load
[[nodiscard]] double dispatch_ticks() noexcept;

/// Cost of noting when a chunk ends and what it cost: one timestamp and a few additions, roughly twice the timestamp.
/// @return [ticks], > 0  @threads any  @cost some microseconds at the first call, then one load
[[nodiscard]] double sampling_ticks() noexcept;

/// Both together. @threads any
[[nodiscard]] inline double timed_draw_ticks() noexcept {
    return dispatch_ticks() + sampling_ticks();
}

/// What the chunks of an execution cost to draw, in draws while nobody else draws. Where a word is drawn from that
/// others write, too, a draw costs `contention` of these; own steps of a plan, and parts of an own block, need no such
/// word.
/// @param chunks  that were drawn [count]  @param claim  single steps that one draw of that word claims [count]
/// @threads any  @cost O(1)
[[nodiscard]] double undisturbed_draws(const Plan& plan, std::uint64_t chunks, std::uint64_t claim,
                                       double contention) noexcept;

}  // namespace gimbal
