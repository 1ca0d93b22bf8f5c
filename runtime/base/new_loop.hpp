// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Called after a loop was seen for the first time, without Gimbal's locks held; nullptr: not at all. `process` sets it
/// when the library is loaded, before there are threads; the rooms that see loops lie below it.
inline void (*after_new_loop)() noexcept = nullptr;

}  // namespace gimbal
