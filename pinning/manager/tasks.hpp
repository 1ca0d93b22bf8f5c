// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gimbal::pin {

/// How many threads this process has, an ended main thread included.
/// @return 0: /proc is not there  @cost one system call
[[nodiscard]] std::size_t task_count() noexcept;

/// The numbers of all of them. @return empty: /proc is not there  @errors std::bad_alloc  @cost some file reads
[[nodiscard]] std::vector<pid_t> task_numbers();

/// Whether only the calling thread is left: all others have ended, the main thread perhaps by pthread_exit().
/// @return false also where /proc is not there  @errors std::bad_alloc
[[nodiscard]] bool is_last_task();

/// The operating system's name of a thread of this process; empty if it is gone. @cost a file read
[[nodiscard]] std::string system_name(pid_t tid);

}  // namespace gimbal::pin
