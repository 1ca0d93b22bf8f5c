// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "noise.hpp"

#include <array>
#include <cstdint>

namespace restore {

constexpr int kGreyLevels = 256;

/// The functional's parameters. Defaults suit natural images with 10 to 90 % of noise (docs/figures.md).
struct Regularisation {
    NoiseKind kind = NoiseKind::salt_and_pepper;
    double alpha = 1.4;  ///< phi(t) = |t|^alpha, in (1, 2], for salt and pepper; sqrt(t^2 + alpha), in (0, 100], else
    double beta = 5;     ///< weight of the neighbours, in (0, kMaxBeta]
};
constexpr double kMaxBeta = 1000;

/// The functional is what one pixel's value u contributes: F(u) = |u - d| + beta/2 sum_j w_j phi(u - v_j), with d the
/// observed value and v_j the neighbours, w_j = 2 for clean ones and 1 for noisy ones. Its part of the neighbours by
/// slopes: [510] beta/2 (phi(t + 1) - phi(t)) at slopes[t + 255], for t in [-255, 255).
///
/// All is counted in integers, in units of 2^-32: sums do not depend on their order, and every processor and compiler
/// gets the same. Only differences phi(t + 1) - phi(t) are rounded, and they ascend, so that F stays convex.
using Slopes = std::array<std::int64_t, 2 * kGreyLevels - 2>;
constexpr std::int64_t kOne = std::int64_t{1} << 32;  ///< the slope of |u - d|

/// @errors none   @cost O(1)
Slopes slopes_of(const Regularisation& settings);

/// What a pixel depends on.
struct Surroundings {
    int observed = 0;              ///< d
    int count = 0;                 ///< neighbours, in [0, 4]
    std::array<int, 4> values{};   ///< v_j
    std::array<int, 4> weights{};  ///< w_j, 1 or 2
};

/// The least grey level that minimises F: the first u with F(u + 1) >= F(u), found by bisection since F is convex.
/// @param slopes  [510]   @errors none   @threads pure   @cost 8 slopes of each neighbour
inline int minimiser(const std::int64_t* slopes, const Surroundings& around) {
    int low = 0;
    int high = kGreyLevels - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        std::int64_t slope = middle >= around.observed ? kOne : -kOne;
        for (int j = 0; j < around.count; ++j)
            slope += around.weights[static_cast<std::size_t>(j)] *
                     slopes[middle - around.values[static_cast<std::size_t>(j)] + kGreyLevels - 1];
        if (slope >= 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

}  // namespace restore
