// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// What a program may tell Gimbal when that is loaded; else there is no such function, and its address is null.
extern "C" __attribute__((weak)) void gimbal_pin_progress(std::uint64_t done);

namespace aco {

/// The calling thread has made one more schedule. All cost the same, so that their number is a measure of speed.
/// @errors none   @threads any   @cost nanoseconds, at most
inline void report_ant() {
    if (gimbal_pin_progress != nullptr) gimbal_pin_progress(1);
}

}  // namespace aco
