// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace gimbal::pin {

/// Memory that is one thread's: its stack, and what it has named. Some of it may be gone by now.
using Ranges = std::span<const std::pair<const void*, std::size_t>>;

/// Binds all ranges to a node and moves their pages there, as bind_range() does.
/// @param node  the operating system's number; negative: gives them back, and pages stay where they are
/// @return 0, or errno of the first that failed; ranges that are gone (EFAULT) are no failure
/// @cost three system calls per range, and a copy of every page that moves
/// @source mbind(2); test: tests/unit/pinning/act/thread_memory_test.cpp
int bind_ranges(Ranges ranges, int node) noexcept;

/// The node that holds most of the pages in use, by a sample: a few pages spread over every range, and its last ones,
/// which of a stack are those in use.
/// @return -1: none is in use, or the kernel does not say
/// @cost one system call of about 1 us per four ranges  @source move_pages(2); test: as above
[[nodiscard]] int mostly_on(Ranges ranges) noexcept;

/// Lets the calling thread's new pages come from a node, or, where the number is negative, from where they came before
/// the first such call.
/// @return 0 or errno
/// @threads the thread itself  @source set_mempolicy(2); test: as above
int follow_node(int node) noexcept;

}  // namespace gimbal::pin
