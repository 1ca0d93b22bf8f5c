// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

namespace gimbal::simulate {

/// Random numbers that are functions of where they are used, not of what was drawn before: whatever a technique does,
/// a worker meets the same noise in the same step.
/// @return 64 random bits for a key of up to three numbers  @threads any
/// @source finaliser of splitmix64: Steele, Lea, Flood 2014
[[nodiscard]] inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) noexcept {
    std::uint64_t bits = seed + 0x9E3779B97F4A7C15U * (a + 1) + 0xD1B54A32D192ED03U * (b + 1);
    for (int round = 0; round < 2; ++round) {
        bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
        bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
        bits ^= bits >> 31U;
    }
    return bits;
}

/// Uniform in (0, 1).
[[nodiscard]] inline double uniform_of(std::uint64_t bits) noexcept {
    return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
}

/// Mean 0, deviation 1, bell-shaped within +- 3.47: a sum of four uniform numbers, without a logarithm.
[[nodiscard]] inline double bell_of(std::uint64_t bits) noexcept {
    const std::uint64_t sum =
        (bits & 0xFFFFU) + (bits >> 16U & 0xFFFFU) + (bits >> 32U & 0xFFFFU) + (bits >> 48U & 0xFFFFU);
    constexpr double kScale = 1.7320508075688772 / 0x1p16;  // sqrt(3): the variance of the sum is 4 / 12
    return (static_cast<double>(sum) - 4 * 32767.5) * kScale;
}

/// Mean 1, as between the events of a Poisson process.
[[nodiscard]] inline double exponential_of(std::uint64_t bits) noexcept {
    return -std::log(uniform_of(bits));
}

}  // namespace gimbal::simulate
