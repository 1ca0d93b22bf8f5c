// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

namespace gimbal::pin {

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

}  // namespace gimbal::pin
