// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gimbal::pin {

/// The processors that the control group of a process grants it (version 2, or the cpuset controller of version 1).
/// @param root  where proc/ and sys/ hang; "" in earnest, a folder in tests
/// @return nullopt: no control group says anything
/// @errors none: what cannot be read grants everything  @threads any  @cost a few file reads
/// @source cgroups(7), cpuset(7); test: tests/unit/pinning/machine/allowed_test.cpp
[[nodiscard]] std::optional<std::vector<int>> cgroup_pus(pid_t pid, const std::string& root = {});

/// What a process may use: the mask of a thread that nobody has pinned, and its control group. A control group that
/// contradicts the mask (a container may show the wrong one) is ignored: the kernel's mask is what holds.
/// @param witness  such a thread, 0: the calling one
/// @return ascending; empty only if the thread is gone
[[nodiscard]] std::vector<int> allowed_pus(pid_t witness);

}  // namespace gimbal::pin
