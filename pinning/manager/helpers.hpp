// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace gimbal::pin {

/// Whether a thread of that name belongs to a library that looks after itself: progress threads of MPI, UCX and
/// libfabric, ours, those of GPUs, memory allocators and tools. They sleep or spin, and their speed means nothing.
/// @param name  as the operating system has it (at most 15 bytes), any case
[[nodiscard]] bool is_helper(std::string_view name) noexcept;

}  // namespace gimbal::pin
