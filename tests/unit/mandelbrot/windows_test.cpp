// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace mandelbrot {
namespace {

constexpr Image kSmall{128, 128, 500};

std::vector<std::uint32_t> counts_of(const Image& image, const Window& window) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(image.pixels()));
    serial_loop(image, window, counts);
    return counts;
}

/// Percent imbalance, 100 (max / mean - 1), if each worker gets one block of equally many pixels.
double static_imbalance(const std::vector<std::uint32_t>& counts, std::size_t workers) {
    const std::size_t n = counts.size();
    std::uint64_t most = 0;
    for (std::size_t w = 0; w < workers; ++w) {
        const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(n * w / workers);
        const auto end = counts.begin() + static_cast<std::ptrdiff_t>(n * (w + 1) / workers);
        most = std::max(most, std::accumulate(begin, end, std::uint64_t{0}));
    }
    const auto sum = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    return 100.0 * (static_cast<double>(most * workers) / sum - 1.0);
}

TEST(Windows, DoNotHideTheImbalanceFromAnyNumberOfWorkers) {
    constexpr std::int64_t kSteps = 20;
    const auto constant = counts_of(kSmall, constant_window());
    const auto low = counts_of(kSmall, rising_window(0, kSteps));
    const auto high = counts_of(kSmall, rising_window(kSteps - 1, kSteps));
    for (const std::size_t workers : {2U, 4U, 8U, 16U}) {
        EXPECT_GT(static_imbalance(constant, workers), 30.0) << workers;
        EXPECT_LT(static_imbalance(low, workers), 10.0) << workers;
        EXPECT_GT(static_imbalance(high, workers), 40.0) << workers;
    }
}

TEST(Windows, RiseFromStepToStep) {
    constexpr std::int64_t kSteps = 6;
    double last = 0.0;
    for (std::int64_t step = 0; step < kSteps; ++step) {
        const double imbalance = static_imbalance(counts_of(kSmall, rising_window(step, kSteps)), 4);
        EXPECT_GT(imbalance, last) << "step " << step;
        last = imbalance;
    }
}

TEST(Windows, FallExactlyAsTheyRise) {
    for (const std::int64_t steps : {1, 2, 7, 1500}) {
        for (std::int64_t step = 0; step < steps; ++step) {
            const Window rising = rising_window(step, steps);
            const Window falling = falling_window(steps - 1 - step, steps);
            EXPECT_EQ(rising.centre_re, falling.centre_re);
            EXPECT_EQ(rising.centre_im, falling.centre_im);
            EXPECT_EQ(rising.half_width, falling.half_width);
        }
    }
}

}  // namespace
}  // namespace mandelbrot
