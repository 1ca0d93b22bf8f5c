// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By raw system calls: a nodemask is simple enough, and a library for it would be one more that must be there.
#include "act/memory.hpp"

#include <linux/mempolicy.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <climits>
#include <fstream>

#include "machine/affinity.hpp"

#ifndef MADV_COLD  // glibc before 2.32
#define MADV_COLD 20
#endif

namespace gimbal::pin {

namespace {

constexpr unsigned long kWordBits = sizeof(unsigned long) * CHAR_BIT;

int result_of(long answer) {
    return answer < 0 ? errno : 0;
}

/// A mask of one node without the heap: these calls are noexcept, and some run inside of threads.
struct OneNode {
    static constexpr int kMax = 1024;
    unsigned long words[kMax / kWordBits] = {};
    explicit OneNode(int node) noexcept {
        words[static_cast<unsigned>(node) / kWordBits] |= 1UL << (static_cast<unsigned>(node) % kWordBits);
    }
    static bool fits(int node) noexcept { return node >= 0 && node < kMax; }
    static constexpr unsigned long kMaxnode = kMax + 1;
};

/// Transparent huge pages at the ends of a range become small ones. A huge page moves as a whole: with the range that
/// was bound last if two have a part of it, and, where its first part was given back, as glibc does with the stack of a
/// thread that has ended, mbind leaves what is left of it where it is, without an error. Calling a part of a huge page
/// cold splits it; nothing else is lost. Kernels before 5.4 refuse, and do not split.
void split_ends(PageRange range) noexcept {
    const std::size_t page = page_size();
    for (const std::uintptr_t at : {range.begin, range.begin + range.bytes - page})
        (void)madvise(reinterpret_cast<void*>(at), page, MADV_COLD);
}

}  // namespace

std::size_t page_size() noexcept {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

PageRange inner_pages(std::uintptr_t begin, std::size_t bytes, std::size_t page) noexcept {
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t end = (begin + bytes) / page * page;
    return first < end ? PageRange{first, end - first} : PageRange{first, 0};
}

int bind_range(const void* begin, std::size_t bytes, int node) noexcept {
    if (!OneNode::fits(node)) return EINVAL;
    const PageRange range = inner_pages(reinterpret_cast<std::uintptr_t>(begin), bytes, page_size());
    if (range.bytes == 0) return 0;
    split_ends(range);
    const OneNode mask(node);
    return result_of(
        syscall(SYS_mbind, range.begin, range.bytes, MPOL_PREFERRED, mask.words, OneNode::kMaxnode, MPOL_MF_MOVE));
}

int unbind_range(const void* begin, std::size_t bytes) noexcept {
    const PageRange range = inner_pages(reinterpret_cast<std::uintptr_t>(begin), bytes, page_size());
    if (range.bytes == 0) return 0;
    return result_of(syscall(SYS_mbind, range.begin, range.bytes, MPOL_DEFAULT, nullptr, 0, 0));
}

int pages_on(std::span<const void* const> addresses, std::span<int> nodes) noexcept {
    assert(addresses.size() == nodes.size());
    if (addresses.empty()) return 0;
    return result_of(syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nullptr, nodes.data(), 0));
}

int set_own_policy(int node) noexcept {
    if (!OneNode::fits(node)) return EINVAL;
    const OneNode mask(node);
    return result_of(syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask.words, OneNode::kMaxnode));
}

OwnPolicy::OwnPolicy() noexcept {
    known_ = syscall(SYS_get_mempolicy, &mode_, words_, kBits, nullptr, 0) == 0;
}

int OwnPolicy::restore() const noexcept {
    if (!known_) return ENOTSUP;
    const bool nodes = std::any_of(std::begin(words_), std::end(words_), [](unsigned long w) { return w != 0; });
    return result_of(
        syscall(SYS_set_mempolicy, mode_, nodes ? words_ : nullptr, nodes ? static_cast<unsigned long>(kBits) + 1 : 0));
}

std::vector<int> allowed_memories() {
    unsigned long words[1024 / kWordBits] = {};
    if (syscall(SYS_get_mempolicy, nullptr, words, 1024UL, nullptr, MPOL_F_MEMS_ALLOWED) != 0) return {};
    return mask_numbers(words);
}

PageRange own_stack() noexcept {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
    void* begin = nullptr;
    std::size_t bytes = 0;
    const int error = pthread_attr_getstack(&attributes, &begin, &bytes);
    pthread_attr_destroy(&attributes);
    if (error != 0) return {};
    if (getpid() == static_cast<pid_t>(syscall(SYS_gettid))) {
        // The main thread's grows as it is used; below the page in use there is nothing to bind yet.
        const auto here = reinterpret_cast<std::uintptr_t>(&attributes) / page_size() * page_size();
        const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
        return {here, end - here};
    }
    return inner_pages(reinterpret_cast<std::uintptr_t>(begin), bytes, page_size());
}

int automatic_balancing(const std::string& root) {
    std::ifstream file(root + "/proc/sys/kernel/numa_balancing");
    std::string line;
    std::getline(file, line);
    int value = -1;
    std::from_chars(line.data(), line.data() + line.size(), value);
    return value;
}

}  // namespace gimbal::pin
