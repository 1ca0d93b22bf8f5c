// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace mandelbrot {

// Where in the plane each loop looks. A window that is symmetric about the real axis has equal halves and hides its
// imbalance from two workers, so all of them lie above it.

/// A square part of the complex plane.
struct Window {
    double centre_re = 0.0;
    double centre_im = 0.0;
    double half_width = 0.0;
};

/// L1: the same window, and the same imbalance, in every step.
inline Window constant_window() {
    return {0.0, 0.75, 0.75};
}

/// L2: moves up, from low imbalance to high. @param step  in [0, steps)   @param steps  >= 1
inline Window rising_window(std::int64_t step, std::int64_t steps) {
    // Low: nearly all pixels are inside the set and cost the same. High: the lower half is, the upper half is not.
    constexpr double kLow = 0.125;
    constexpr double kHigh = 0.75;
    constexpr double kHalfWidth = 0.5;
    const double share = steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 1.0;
    return {0.0, kLow + share * (kHigh - kLow), kHalfWidth};
}

/// L3: the windows of L2 in reverse, bit for bit, so that both do the same work over a run.
inline Window falling_window(std::int64_t step, std::int64_t steps) {
    return rising_window(steps - 1 - step, steps);
}

/// Size of the picture and the largest count of a pixel.
struct Image {
    std::int64_t width = 256;   ///< [pixels]
    std::int64_t height = 256;  ///< [pixels]
    std::int64_t max_iterations = 500;

    std::int64_t pixels() const { return width * height; }
};

/// Steps of z <- z^4 + c, from z = 0, until |z|^2 > 4.
/// @return number of steps made [count], in [0, max_iterations]; max_iterations: did not escape
/// @errors none   @threads pure   @cost O(result), the reason why iterations of the loops differ
inline std::uint32_t escape_count(double c_re, double c_im, std::int64_t max_iterations) {
    constexpr double kEscapeSquared = 4.0;
    double re = 0.0;
    double im = 0.0;
    for (std::int64_t k = 0; k < max_iterations; ++k) {
        const double re2 = re * re;
        const double im2 = im * im;
        if (re2 + im2 > kEscapeSquared) return static_cast<std::uint32_t>(k);
        const double square_re = re2 - im2;
        const double square_im = 2.0 * re * im;
        re = square_re * square_re - square_im * square_im + c_re;
        im = 2.0 * square_re * square_im + c_im;
    }
    return static_cast<std::uint32_t>(max_iterations);
}

/// Count at the centre of a pixel; row-major, the lowest row first.
/// @param pixel  [pixels], in [0, image.pixels())
inline std::uint32_t pixel_count(const Image& image, const Window& window, std::int64_t pixel) {
    const auto across = static_cast<double>(2 * (pixel % image.width) + 1) / static_cast<double>(image.width) - 1.0;
    const auto up = static_cast<double>(2 * (pixel / image.width) + 1) / static_cast<double>(image.height) - 1.0;
    return escape_count(window.centre_re + window.half_width * across, window.centre_im + window.half_width * up,
                        image.max_iterations);
}

}  // namespace mandelbrot
