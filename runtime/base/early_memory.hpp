// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace gimbal {

/// Memory for what a loop's first executions allocate while a team waits: 2 MB of zeros in the library, enough for two
/// hundred loops of small teams. It is taken without a lock and nothing goes back to it, since most of that stays as
/// long as the process. Pages come sixteen at a time.
/// @param alignment  a power of two
/// @return nullptr: it is used up but for a reserve, or the block is larger than 4 KiB  @threads any
void* allocate_early(std::size_t size, std::size_t alignment) noexcept;

/// What is left of it, the reserve included, where the heap has refused (ulimit -v), which memory_is_short() says from
/// then on. @return nullptr: it is used up  @threads any
void* allocate_last(std::size_t size, std::size_t alignment) noexcept;

/// Whether the heap has refused and still does: then nothing new is to be begun. @threads any
/// @cost a load; after a refusal a block is taken and given back
bool memory_is_short() noexcept;

/// Whether a block is from there. @threads any
bool is_early(const void* memory) noexcept;

/// Have the pages there that the first loops will need, 128 KiB of them; nothing where no block was taken yet.
/// @cost some 1.5 us a page, on a thread that nobody waits for  @threads one
void enter_early_pages() noexcept;

}  // namespace gimbal
