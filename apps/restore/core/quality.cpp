// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "quality.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace restore {

namespace {

constexpr std::int64_t kWindow = 7;
constexpr double kPeak = 255;
constexpr double kIdentical_db = 99;

/// Structural similarity of a window of one image and of the other.
double similarity_at(const Plane& one, const Plane& other, std::int64_t left, std::int64_t top) {
    constexpr double kMeans = (0.01 * kPeak) * (0.01 * kPeak);      // C1 of the paper
    constexpr double kVariances = (0.03 * kPeak) * (0.03 * kPeak);  // C2
    std::int64_t sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0, count = 0;
    for (std::int64_t y = top; y < std::min(top + kWindow, one.height); ++y) {
        for (std::int64_t x = left; x < std::min(left + kWindow, one.width); ++x) {
            const std::int64_t p = one.row(y)[x];
            const std::int64_t q = other.row(y)[x];
            sum_a += p;
            sum_b += q;
            sum_aa += p * p;
            sum_bb += q * q;
            sum_ab += p * q;
            count += 1;
        }
    }
    const auto n = static_cast<double>(count);
    const double a = static_cast<double>(sum_a) / n;
    const double b = static_cast<double>(sum_b) / n;
    const double var_a = static_cast<double>(sum_aa) / n - a * a;
    const double var_b = static_cast<double>(sum_bb) / n - b * b;
    const double cov = static_cast<double>(sum_ab) / n - a * b;
    return (2 * a * b + kMeans) * (2 * cov + kVariances) / ((a * a + b * b + kMeans) * (var_a + var_b + kVariances));
}

}  // namespace

Quality quality(const Image& image, const Image& original) {
    assert(image.planes.size() == original.planes.size());
    std::int64_t squares = 0;
    std::int64_t samples = 0;
    double similar = 0;
    std::int64_t windows = 0;
    for (std::size_t channel = 0; channel < image.planes.size(); ++channel) {
        const Plane& a = image.planes[channel];
        const Plane& b = original.planes[channel];
        for (std::size_t i = 0; i < a.samples.size(); ++i) {
            const std::int64_t off = a.samples[i] - b.samples[i];
            squares += off * off;
        }
        samples += a.width * a.height;
        for (std::int64_t y = 0; y <= std::max<std::int64_t>(a.height - kWindow, 0); ++y) {
            for (std::int64_t x = 0; x <= std::max<std::int64_t>(a.width - kWindow, 0); ++x, ++windows)
                similar += similarity_at(a, b, x, y);
        }
    }
    const double mean = static_cast<double>(squares) / static_cast<double>(samples);
    return {squares == 0 ? kIdentical_db : 10 * std::log10(kPeak * kPeak / mean),
            similar / static_cast<double>(windows)};
}

}  // namespace restore
