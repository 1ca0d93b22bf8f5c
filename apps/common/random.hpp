// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace apps {

/// Finaliser of SplitMix64: every bit of the input moves every bit of the result. The hash behind the checksums.
/// @errors none   @threads pure   @cost O(1)
/// @source Steele, Lea, Flood 2014
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// Random numbers by SplitMix64. The distributions of the standard library differ from one library to the next, so the
/// few that are needed are written out.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

    /// In [0, 1), on 53 bits.
    double uniform() {
        state_ += 0x9e3779b97f4a7c15U;
        return static_cast<double>(mix(state_) >> 11) * 0x1p-53;
    }

    /// Mean 0, variance 1 (Box and Muller).
    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(2.0 * std::numbers::pi * uniform());
    }

private:
    std::uint64_t state_;
};

}  // namespace apps
