// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal {

/// SplitMix64: the same numbers on every machine, and every seed is a good one.
/// @threads one  @cost a few instructions per number  @source Steele, Lea, Flood 2014
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    /// Uniform over all 64-bit numbers.
    std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /// Uniform in [low, high]. @pre low <= high, high - low < 2^64 - 1
    std::uint64_t between(std::uint64_t low, std::uint64_t high) noexcept {
        __extension__ using Wide = unsigned __int128;
        // The upper half of a 128-bit product: a bias of at most (high - low) / 2^64, and no loop.
        return low + static_cast<std::uint64_t>((Wide{next()} * (high - low + 1)) >> 64);
    }

    /// Uniform in [0, 1), in steps of 2^-53.
    double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

    /// Heads or tails.
    bool coin() noexcept { return (next() >> 63) != 0; }

private:
    std::uint64_t state_;
};

}  // namespace gimbal
