// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranges.hpp"

#include <algorithm>
#include <cstring>

namespace evrard {

void append(std::vector<Range>& ranges, Range range) {
    if (range.size() == 0) return;
    if (!ranges.empty() && ranges.back().end == range.first) {
        ranges.back().end = range.end;
    } else {
        ranges.push_back(range);
    }
}

std::size_t total_size(std::span<const Range> ranges) {
    std::size_t sum = 0;
    for (const Range& range : ranges) sum += static_cast<std::size_t>(range.size());
    return sum;
}

bool cover_once(std::vector<Range> ranges, std::int64_t count) {
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
    std::int64_t end = 0;
    for (const Range& range : ranges) {
        if (range.first != end || range.end < range.first) return false;
        end = range.end;
    }
    return end == count;
}

std::vector<std::byte> pack(const std::byte* items, std::size_t item_bytes, std::span<const Range> ranges) {
    std::vector<std::byte> packed(total_size(ranges) * item_bytes);
    std::byte* to = packed.data();
    for (const Range& range : ranges) {
        const std::size_t bytes = static_cast<std::size_t>(range.size()) * item_bytes;
        if (bytes > 0) std::memcpy(to, items + static_cast<std::size_t>(range.first) * item_bytes, bytes);
        to += bytes;
    }
    return packed;
}

const std::byte* unpack(const std::byte* packed, std::byte* items, std::size_t item_bytes,
                        std::span<const Range> ranges) {
    for (const Range& range : ranges) {
        const std::size_t bytes = static_cast<std::size_t>(range.size()) * item_bytes;
        if (bytes > 0) std::memcpy(items + static_cast<std::size_t>(range.first) * item_bytes, packed, bytes);
        packed += bytes;
    }
    return packed;
}

}  // namespace evrard
