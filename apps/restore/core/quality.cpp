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

/// Sums over a window of one image and of the other.
struct Sums {
    std::int64_t a = 0, b = 0, aa = 0, bb = 0, ab = 0, count = 0;
};

Sums sums_at(const Plane& a, const Plane& b, std::int64_t left, std::int64_t top) {
    Sums sums;
    for (std::int64_t y = top; y < std::min(top + kWindow, a.height); ++y) {
        for (std::int64_t x = left; x < std::min(left + kWindow, a.width); ++x) {
            const std::int64_t p = a.row(y)[x];
            const std::int64_t q = b.row(y)[x];
            sums.a += p;
            sums.b += q;
            sums.aa += p * p;
            sums.bb += q * q;
            sums.ab += p * q;
            sums.count += 1;
        }
    }
    return sums;
}

double similarity(const Sums& sums) {
    constexpr double kMeans = (0.01 * kPeak) * (0.01 * kPeak);      // C1 of the paper
    constexpr double kVariances = (0.03 * kPeak) * (0.03 * kPeak);  // C2
    const auto n = static_cast<double>(sums.count);
    const double a = static_cast<double>(sums.a) / n;
    const double b = static_cast<double>(sums.b) / n;
    const double var_a = static_cast<double>(sums.aa) / n - a * a;
    const double var_b = static_cast<double>(sums.bb) / n - b * b;
    const double cov = static_cast<double>(sums.ab) / n - a * b;
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
                similar += similarity(sums_at(a, b, x, y));
        }
    }
    const double mean = static_cast<double>(squares) / static_cast<double>(samples);
    return {squares == 0 ? kIdentical_db : 10 * std::log10(kPeak * kPeak / mean),
            similar / static_cast<double>(windows)};
}

}  // namespace restore
