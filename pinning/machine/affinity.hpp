// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
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

/// Whether a thread has exactly this mask; also false where that cannot be read.
/// @param pus  ascending  @threads any  @cost one system call, no memory from the heap
[[nodiscard]] bool has_affinity(pid_t tid, std::span<const int> pus) noexcept;

/// Whether a thread is alive and belongs to a process: a number can have gone to somebody else's thread.
/// @cost one system call
[[nodiscard]] bool is_thread_of(pid_t pid, pid_t tid) noexcept;

/// The processors that the control group of a process grants it (version 2, or the cpuset controller of version 1).
/// @param root  where proc/ and sys/ hang; "" in earnest, a folder in tests
/// @return nullopt: no control group says anything
/// @errors none: what cannot be read grants everything  @threads any  @cost a few file reads
/// @source cgroups(7), cpuset(7); test: tests/unit/pinning/machine/allowed_test.cpp
[[nodiscard]] std::optional<std::vector<int>> cgroup_pus(pid_t pid, const std::string& root = {});

/// Whether a mask is all that the control group of a process grants it, or all processors where none says anything:
/// then nobody has narrowed it. @cost as cgroup_pus()
[[nodiscard]] bool is_all_granted(pid_t pid, std::span<const int> mask);

/// Gives a thread all that its control group grants: as all processors that a mask can name, of which the kernel keeps
/// those that the group grants, now and whenever that changes. Since Linux 6.2 a mask that was set is kept as the
/// thread's wish: one that was cut when the group had few processors would stay so for good.
/// @param pus  what that was when it was looked at last. More stay if the group grants just them by now: it has grown.
///             Where it gives others it is exactly these (the control group that is seen may not be the one that holds:
///             containers)
/// @param may_look  at the group, where it gives more; else these stay: no memory is taken from the heap then, as in
///                  set_affinity(), for a child after fork
/// @return as set_affinity()  @threads any
/// @cost two system calls; where it gives more cgroup_pus(), too
int set_all_granted(pid_t tid, std::span<const int> pus, bool may_look = true);

/// What a process may use: the mask of a thread that nobody has pinned, and its control group. A control group that
/// contradicts the mask (a container may show the wrong one) is ignored: the kernel's mask is what holds.
/// @param witness  such a thread, 0: the calling one
/// @return ascending; empty only if the thread is gone
[[nodiscard]] std::vector<int> allowed_pus(pid_t witness);

}  // namespace gimbal::pin
