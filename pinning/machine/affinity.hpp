// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

namespace gimbal::pin {

// Masks of threads: the words of the kernel, reading, setting.

/// Processors as the kernel wants them: bit p of an array of words. As wide as the highest number needs.
/// @return at least one word
[[nodiscard]] std::vector<unsigned long> mask_words(std::span<const int> numbers);
/// @return ascending
[[nodiscard]] std::vector<int> mask_numbers(std::span<const unsigned long> words);

/// Reads the mask of a thread; masks of any width.
/// @param tid  0: the calling thread  @param pus  set on success, ascending
/// @return 0 or errno: ESRCH (no such thread), EPERM
/// @threads any  @cost one system call
/// @source sched_setaffinity(2); test: tests/unit/pinning/machine/allowed_test.cpp
int get_affinity(pid_t tid, std::vector<int>& pus);

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
