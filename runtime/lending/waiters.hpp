// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

namespace gimbal {

/// The threads that have run a loop and show where they are (gimbal_waiter_mine()), as many as there is room for.
/// @return how many  @threads any  @cost a load for each
std::size_t waiting_threads(std::span<pid_t> into) noexcept;

}  // namespace gimbal
