// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

}  // namespace gimbal
