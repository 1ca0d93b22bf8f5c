// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gimbal {

/// Weights as integers that sum to about 2^40, so that shares are the same on every machine.
/// @param weights  [P] finite, >= 0, one > 0  @errors std::bad_alloc  @cost O(P)
[[nodiscard]] std::vector<std::uint64_t> integer_weights(std::span<const double> weights);

/// How many iterations a static fraction is: f_s N to the nearest integer, halves up, without rounding errors.
/// @param static_fraction  f_s; below 0 or not a number: 0; above 1: 1   @param iterations  N [iterations]
/// @return [iterations], in [0, N]  @errors none  @threads any  @cost O(1)
[[nodiscard]] std::uint64_t static_iterations(double static_fraction, std::uint64_t iterations) noexcept;

/// The static part of every worker. Its sum is static_iterations(f_s, N) for any weights; each size is within one of
/// its share by weight (weights count to 2^-40 of their sum); with equal weights the first ones are one longer: at
/// f_s = 1 libomp's balanced static.
/// @param weights          [P] relative speeds, any scale; empty, of another length, negative, not finite, all zero or
///                         all equal: equal
/// @param static_fraction  f_s, in [0, 1]
/// @param iterations       N [iterations], any
/// @param workers          P; 0 counts as 1
/// @return [P] sizes [iterations]
/// @errors std::bad_alloc  @threads any  @cost O(P)
/// @source Kale, Bhatele, Gropp 2011 (w_i f_s N / p); test: tests/unit/technique/division_test.cpp
[[nodiscard]] std::vector<std::uint64_t> static_sizes(std::span<const double> weights, double static_fraction,
                                                      std::uint64_t iterations, std::uint32_t workers);

}  // namespace gimbal
