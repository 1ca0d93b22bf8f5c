// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gimbal {

/// The finaliser of SplitMix64: every bit of the result depends on every one of `bits`.
/// @source Steele, Lea, Flood 2014
[[nodiscard]] constexpr std::uint64_t splitmix(std::uint64_t bits) noexcept {
    bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebU;
    return bits ^ bits >> 31U;
}

/// Random bits that are a function of what they are for, not of what was drawn before.
/// @return 64 random bits for a key of up to three numbers  @threads any  @cost a few instructions
/// @source two rounds of the finaliser of SplitMix64; test: tests/unit/simulate/chance_test.cpp
[[nodiscard]] constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) noexcept {
    return splitmix(splitmix(seed + 0x9e3779b97f4a7c15U * (a + 1) + 0xd1b54a32d192ed03U * (b + 1)));
}

/// SplitMix64: the same numbers on every machine, and every seed is a good one.
/// @threads one  @cost a few instructions per number, pick: O(K)
/// @source Steele, Lea, Flood 2014; test: tests/unit/pinning/decide/random_test.cpp
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    /// Uniform over all 64-bit numbers.
    std::uint64_t next() noexcept { return splitmix(state_ += 0x9e3779b97f4a7c15U); }

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

    /// True with this probability; the grid is 2^-53, so that one in a thousand is one in a thousand.
    bool chance(double probability) noexcept { return unit() < probability; }

    /// An index, drawn in proportion to its weight; of nothing but zeros the last one.
    /// @param weights  [K], finite and >= 0, K >= 1
    std::size_t pick(std::span<const double> weights) noexcept {
        double sum = 0;
        for (const double w : weights) sum += w;
        double left = unit() * sum;
        std::size_t last = weights.size() - 1;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (!(weights[i] > 0)) continue;
            last = i;  // what rounding leaves over goes to the last that may be drawn at all
            left -= weights[i];
            if (left < 0) return i;
        }
        return last;
    }

private:
    std::uint64_t state_;
};

}  // namespace gimbal
