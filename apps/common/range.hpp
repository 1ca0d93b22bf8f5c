// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace apps {

/// Iterations [first, end) of a loop.
struct Range {
    std::int64_t first = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - first; }
    bool operator==(const Range&) const = default;
};

/// Part `part` of `parts` of [0, count): as many iterations as in any other, or one more or less.
/// @param count  >= 0, count x parts without overflow   @param parts  >= 1
inline Range part_of(std::int64_t count, int part, int parts) {
    return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace apps
