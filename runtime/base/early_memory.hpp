// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace gimbal {

/// Memory for what a loop's first executions allocate while a team waits: 2 MB of zeros in the library, enough for two
/// hundred loops of small teams. It is taken without a lock and nothing goes back to it, since most of that stays as
/// long as the process. Pages come sixteen at a time. Under a limit (ulimit -v) it is there when the heap has no more.
/// @param alignment  a power of two  @param largest  block that it is meant for [bytes]
/// @return nullptr: it is used up, or the block is a larger one  @threads any
void* allocate_early(std::size_t size, std::size_t alignment, std::size_t largest = std::size_t{1} << 12) noexcept;

/// Whether a block is from there. @threads any
bool is_early(const void* memory) noexcept;

/// Have the pages there that the first loops will need, some seventy of them; nothing where no block was taken yet.
/// @cost some 1.5 us a page, on a thread that nobody waits for  @threads one
void enter_early_pages() noexcept;

}  // namespace gimbal
