// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace apps {

/// Iterations [first, end) of a loop.
struct Range {
    std::int64_t first = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - first; }
    bool operator==(const Range&) const = default;

    /// These entries of something that has one entry per iteration.
    template <class Entries>
    auto of(Entries& entries) const {
        return std::span(entries).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size()));
    }
};

/// Part `part` of `parts` of [0, count): as many iterations as in any other, or one more or less.
/// @param count  >= 0, count x parts without overflow   @param parts  >= 1
inline Range part_of(std::int64_t count, int part, int parts) {
    return {count * part / parts, count * (part + 1) / parts};
}

/// Block `block` of `blocks`, whose lengths differ by at most one; the longer ones come first.
/// @param count  of iterations, >= 0   @param blocks  >= 1
inline Range block_range(std::int64_t count, std::int64_t blocks, std::int64_t block) {
    const auto start = [=](std::int64_t b) { return count / blocks * b + std::min(b, count % blocks); };
    return {start(block), start(block + 1)};
}

}  // namespace apps
