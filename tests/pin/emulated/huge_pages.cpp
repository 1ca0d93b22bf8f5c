// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transparent huge page is moved as a whole, and not at all where its first part is gone: stacks of threads that come
// after others have such pages, and neighbours share them.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <fstream>

#include "guest_support.hpp"

namespace gimbal::pin::guest {

namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;  // with pages of 4 KiB

/// Of this process [KiB].
long huge_now() {
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string word; file >> word;) {
        long size = 0;
        if (word == "AnonHugePages:" && file >> size) return size;
    }
    return 0;
}

/// One huge page in use, and never given back.
char* huge_page(int node) {
    void* const all = mmap(nullptr, 2 * kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* const at = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(all) + kHuge - 1) / kHuge * kHuge);
    madvise(at, kHuge, MADV_HUGEPAGE);
    const OwnPolicy own;
    set_own_policy(node);
    std::memset(at, 1, kHuge);
    own.restore();
    return at;
}

}  // namespace

void check_huge_pages(int from, int to) {
    const long before = huge_now();
    char* const shared = huge_page(from);
    char* const left = huge_page(from);
    const long huge = huge_now() - before;
    check("huge pages are in use", huge == 2 * static_cast<long>(kHuge >> 10), std::to_string(huge) + " KiB");

    const std::size_t half = kHuge / 2;
    const long all = static_cast<long>(half / page_size());
    const int errors[] = {bind_range(shared, half, from), bind_range(shared + half, half, to)};
    const long near = on_node(shared, half, from), far = on_node(shared + half, half, to);
    check("two ranges in one huge page go to two nodes", errors[0] == 0 && errors[1] == 0 && near == all && far == all,
          std::to_string(near) + " and " + std::to_string(far) + " of " + std::to_string(all) + " pages");

    const std::size_t rest = 34 * page_size();  // as much as is left of a stack
    madvise(left, kHuge - rest, MADV_DONTNEED);
    const int error = bind_range(left, kHuge, to);
    const long moved = on_node(left + kHuge - rest, rest, to);
    check("what is left of a huge page moves", error == 0 && moved == 34, std::to_string(moved) + " of 34 pages");
}

}  // namespace gimbal::pin::guest
