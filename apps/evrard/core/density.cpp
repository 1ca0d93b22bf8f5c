// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "density.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace evrard {

namespace {

constexpr double kSearchMargin = 1.06;  // the search reaches this much beyond the support of the guess
constexpr double kTolerance = 1e-4;     // last relative correction; the error after it is about its square
constexpr int kMaxIterations = 60;

double sum_shape(const std::vector<double>& r2, double h) {
    const double inv_h2 = 1.0 / (h * h);
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < r2.size(); ++j) sum += kernel_shape(r2[j] * inv_h2);
    return sum;
}

}  // namespace

double density_from_h(double mass, double h, double neighbours) {
    return mass * neighbours * 3.0 / (32.0 * std::numbers::pi * h * h * h);
}

DensityResult density_of(const Octree& tree, const Vec3& at, double guess, double neighbours, std::vector<double>& r2) {
    // The constraint, divided by constants: the sum of kernel shapes has a fixed value. The particle's own shape is 1.
    const double target = neighbours * 3.0 / (32.0 * std::numbers::pi * kKernelNorm);
    double h = guess;
    double low = 0.0;
    double high = HUGE_VAL;
    double searched = 0.0;
    double last_h = 0.0;
    double last_log = 0.0;
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        if (kSupport * h > searched) {
            searched = kSearchMargin * kSupport * h;
            collect_distances(tree, at, searched, r2);
        }
        const double sum = sum_shape(r2, h);
        (sum < target ? low : high) = h;
        // The other particles' sum grows about like h^slope: 3 where the density is even, then the secant's slope.
        const double log_ratio = std::log((target - 1.0) / std::max(sum - 1.0, 1e-3));
        double slope = 3.0;
        if (last_h > 0.0 && h != last_h) slope = std::clamp((last_log - log_ratio) / std::log(h / last_h), 0.5, 8.0);
        double next = h * std::exp(std::clamp(log_ratio / slope, -0.7, 0.7));
        if (next <= low || next >= high) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * h;
        last_h = h;
        last_log = log_ratio;
        h = next;
        if (std::abs(h / last_h - 1.0) < kTolerance) break;
    }
    return {h, density_from_h(tree.mass(), h, neighbours)};
}

}  // namespace evrard
