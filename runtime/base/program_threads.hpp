// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Whether main() has left by pthread_exit() and all other threads have ended but those of Gimbal (gimbal-select,
/// gimbal-pin): a thread of Gimbal that goes on would then keep the process alive for ever.
/// @errors none: false where /proc cannot be read  @threads any  @cost one small file; where main() has left, one for
///         each thread
[[nodiscard]] bool program_has_left() noexcept;

}  // namespace gimbal
