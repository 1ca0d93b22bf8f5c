// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace apps {

/// Finaliser of SplitMix64: every bit of the input moves every bit of the result.
/// @errors none   @threads pure   @cost O(1)
/// @source Steele, Lea, Flood 2014
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

}  // namespace apps
