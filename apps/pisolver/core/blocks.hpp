// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

namespace pisolver {

/// Iterations [first, end).
struct Range {
    std::int64_t first = 0;
    std::int64_t end = 0;
    std::int64_t size() const { return end - first; }
    bool operator==(const Range&) const = default;
};

/// Block `block` of `blocks`, whose lengths differ by at most one; the longer ones come first.
/// @param count  of iterations, >= 0   @param blocks  >= 1
inline Range block_range(std::int64_t count, std::int64_t blocks, std::int64_t block) {
    const auto start = [=](std::int64_t b) { return count / blocks * b + std::min(b, count % blocks); };
    return {start(block), start(block + 1)};
}

/// The block that an iteration lies in. @param iteration  in [0, count)
inline std::int64_t block_of(std::int64_t count, std::int64_t blocks, std::int64_t iteration) {
    const std::int64_t shorter = count / blocks;
    const std::int64_t in_longer = count % blocks * (shorter + 1);
    if (iteration < in_longer) return iteration / (shorter + 1);
    return count % blocks + (iteration - in_longer) / shorter;
}

}  // namespace pisolver
