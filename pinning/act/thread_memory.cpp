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

/// Addresses of pages to be asked about, without the heap.
class PageSample {
public:
    /// @return false: no room is left
    bool add(const void* begin, std::size_t bytes) noexcept {
        const std::size_t page = page_size();
        const PageRange range = inner_pages(reinterpret_cast<std::uintptr_t>(begin), bytes, page);
        const std::size_t pages = range.bytes / page;
        if (pages == 0) return true;
        if (used_ + kSpread + kLast > addresses_.size()) return false;
        for (std::size_t i = 0; i < std::min(kSpread, pages); ++i) add_page(range.begin + i * pages / kSpread * page);
        for (std::size_t i = 1; i <= std::min(kLast, pages); ++i) add_page(range.begin + (pages - i) * page);
        return true;
    }
    [[nodiscard]] int most() noexcept {
        const std::span<int> nodes(nodes_.data(), used_);
        if (used_ == 0 || pages_on({addresses_.data(), used_}, nodes) != 0) return -1;
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

private:
    static constexpr std::size_t kSpread = 8;
    static constexpr std::size_t kLast = 4;
    void add_page(std::uintptr_t at) noexcept { addresses_[used_++] = reinterpret_cast<const void*>(at); }
    std::array<const void*, 96> addresses_{};
    std::array<int, 96> nodes_{};
    std::size_t used_ = 0;
};

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
    PageSample sample;
    for (const auto& [begin, bytes] : ranges)
        if (!sample.add(begin, bytes)) break;
    return sample.most();
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
