// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gimbal::pin {

/// How many threads this process has, an ended main thread included.
/// @return 0: /proc is not there  @cost one system call
[[nodiscard]] std::size_t task_count() noexcept;

/// The numbers of all of them. @return empty: /proc is not there  @errors std::bad_alloc  @cost some file reads
[[nodiscard]] std::vector<pid_t> task_numbers();

/// The operating system's name of a thread of this process; empty if it is gone. @cost a file read
[[nodiscard]] std::string system_name(pid_t tid);

/// Whether a library looks after threads of its own: progress threads of MPI, UCX and libfabric, ours, those of GPUs,
/// memory allocators and tools. They sleep or spin, and their speed means nothing.
/// @param file  with or without a path: "libucs.so.0"  @errors none  @threads any
/// @source test: tests/pin/rooms_test.cpp
[[nodiscard]] bool is_helper_library(std::string_view file) noexcept;

/// The library of that kind in which a thread begins.
/// @param routine  as given to pthread_create()
/// @return its file name without a path; empty: the thread begins in the program or in another library
/// @errors std::bad_alloc  @threads any that may wait for the loader
[[nodiscard]] std::string helper_library(const void* routine);

}  // namespace gimbal::pin
