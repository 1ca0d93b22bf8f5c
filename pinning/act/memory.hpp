// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gimbal::pin {

/// The pages that lie wholly within [begin, begin + bytes): neighbours are not touched.
struct PageRange {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;  ///< a multiple of the page size, may be 0
};
[[nodiscard]] PageRange inner_pages(std::uintptr_t begin, std::size_t bytes, std::size_t page) noexcept;
[[nodiscard]] std::size_t page_size() noexcept;

/// Binds memory of this process to a node while that has room (so no allocation fails by it), and moves the pages there
/// that are in use by this process alone. Works from any thread: this is what a manager can do for another thread's
/// memory. Huge pages at the ends of the range are split, since they would go with the neighbour's, or stay. That pages
/// stay is no error: pages_on() tells.
/// @param node  the operating system's number
/// @return 0 or errno: EINVAL (no such node, or not allowed), EFAULT (a hole in the range), EPERM, ENOSYS
/// @cost three system calls, and a copy of every page that moves
/// @source mbind(2), madvise(2); test: tests/unit/pinning/act/memory_test.cpp, tests/pin/emulated
int bind_range(const void* begin, std::size_t bytes, int node) noexcept;
/// The range follows the policy of the thread that touches it, as before anyone bound it.
int unbind_range(const void* begin, std::size_t bytes) noexcept;

/// On which node the page of each address is.
/// @param nodes  [addresses]; >= 0: the node; < 0: -errno, -ENOENT where nothing was touched yet, and, with Linux 6.1
/// to 6.4, where the kernel's balancing wants to see the next touch
/// @return 0 or errno
/// @source move_pages(2)
int pages_on(std::span<const void* const> addresses, std::span<int> nodes) noexcept;

/// Where the calling thread's new pages come from; there is no way to set that for another thread.
/// @return 0 or errno
/// @threads the thread itself  @source set_mempolicy(2)
int set_own_policy(int node) noexcept;

/// The calling thread's memory policy, to give it back later. Only the first 1024 nodes are kept.
class OwnPolicy {
public:
    /// Remembers the policy of the calling thread.
    OwnPolicy() noexcept;
    /// @return 0 or errno; ENOTSUP if it could not be read
    int restore() const noexcept;
    [[nodiscard]] bool known() const noexcept { return known_; }

private:
    static constexpr std::size_t kBits = 1024;
    int mode_ = 0;
    unsigned long words_[kBits / (8 * sizeof(unsigned long))] = {};
    bool known_ = false;
};

/// The memories that this process may use, ascending; empty if the kernel does not say (it has no NUMA).
[[nodiscard]] std::vector<int> allowed_memories();

/// The calling thread's stack, {0, 0} if it is not known. The main thread's is only what is mapped now.
/// @threads the thread itself
[[nodiscard]] PageRange own_stack() noexcept;

/// Whether the kernel moves pages by itself (numa_balancing), which may fight with us. -1: not known.
[[nodiscard]] int automatic_balancing(const std::string& root = {});

}  // namespace gimbal::pin
