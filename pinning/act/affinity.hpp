// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <span>

namespace gimbal::pin {

/// Sets the mask of a thread. Nothing is checked here: Actuator does that. No memory is taken from the heap for
/// processors below 1024, so that a child after fork may call it.
/// @param tid  0: the calling thread
/// @return 0 or errno: ESRCH, EPERM, EINVAL (no PU of it is allowed by the control group, or none is online)
/// @threads any  @cost one system call
int set_affinity(pid_t tid, std::span<const int> pus);

/// Whether a thread is alive and belongs to a process: a number can have gone to somebody else's thread.
/// @cost one system call
[[nodiscard]] bool is_thread_of(pid_t pid, pid_t tid) noexcept;

}  // namespace gimbal::pin
