// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "act/thread_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "act/memory.hpp"

namespace gimbal::pin {

namespace {

/// A thread's own policy before the first change of it; made when it is first asked for.
OwnPolicy& policy_before() noexcept {
    thread_local OwnPolicy before;
    return before;
}

thread_local bool t_follows = false;

constexpr std::size_t kMaxPages = 96;  // that are asked about at once
constexpr std::size_t kSpread = 8;     // of a range
constexpr std::size_t kLast = 4;       // at its end

/// Addresses of some pages of a range. @param sample  out, room for kSpread + kLast  @return how many
std::size_t sample_pages(const void* begin, std::size_t bytes, const void** sample) noexcept {
    const std::size_t page = page_size();
    const PageRange range = inner_pages(reinterpret_cast<std::uintptr_t>(begin), bytes, page);
    const std::size_t pages = range.bytes / page;
    const auto address_of = [&](std::size_t i) { return reinterpret_cast<const void*>(range.begin + i * page); };
    std::size_t used = 0;
    for (std::size_t i = 0; i < std::min(kSpread, pages); ++i) sample[used++] = address_of(i * pages / kSpread);
    for (std::size_t i = 1; i <= std::min(kLast, pages); ++i) sample[used++] = address_of(pages - i);
    return used;
}

/// @return -1: there is none
int most_frequent(std::span<const int> nodes) noexcept {
    int best = -1;
    std::ptrdiff_t votes = 0;
    for (const int node : nodes) {
        if (node < 0) continue;
        const std::ptrdiff_t here = std::count(nodes.begin(), nodes.end(), node);
        if (here > votes) {
            votes = here;
            best = node;
        }
    }
    return best;
}

}  // namespace

int bind_ranges(Ranges ranges, int node) noexcept {
    int first = 0;
    for (const auto& [begin, bytes] : ranges) {
        const int error = node < 0 ? unbind_range(begin, bytes) : bind_range(begin, bytes, node);
        if (first == 0 && error != EFAULT) first = error;
    }
    return first;
}

int mostly_on(Ranges ranges) noexcept {
    // Without the heap.
    std::array<const void*, kMaxPages> pages;
    std::array<int, kMaxPages> nodes;
    std::size_t used = 0;
    for (const auto& [begin, bytes] : ranges) {
        if (used + kSpread + kLast > kMaxPages) break;
        used += sample_pages(begin, bytes, &pages[used]);
    }
    if (used == 0 || pages_on({pages.data(), used}, {nodes.data(), used}) != 0) return -1;
    return most_frequent({nodes.data(), used});
}

int follow_node(int node) noexcept {
    if (node < 0) {
        const int error = t_follows ? policy_before().restore() : 0;
        t_follows = false;
        return error;
    }
    if (!policy_before().known()) return ENOTSUP;
    const int error = set_own_policy(node);
    t_follows = t_follows || error == 0;
    return error;
}

}  // namespace gimbal::pin
