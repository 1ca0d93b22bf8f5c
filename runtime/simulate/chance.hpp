// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

#include "gimbal/random.hpp"

namespace gimbal::simulate {

// Numbers of some distribution from random_bits(): whatever a technique does, a worker meets the same noise in the same
// step.

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
