// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace evrard {
namespace {

TEST(Kernel, IntegratesToOneOverItsSupport) {
    // Simpson's rule on 4 pi r^2 W for an h that is not 1.
    constexpr double h = 0.7;
    constexpr int kIntervals = 2000;
    const double step = kSupport * h / kIntervals;
    double sum = 0.0;
    for (int k = 0; k <= kIntervals; ++k) {
        const double r = k * step;
        const double weight = k == 0 || k == kIntervals ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0);
        sum += weight * 4.0 * std::numbers::pi * r * r * kernel(r * r, h);
    }
    EXPECT_NEAR(sum * step / 3.0, 1.0, 1e-10);
}

TEST(Kernel, AgreesWithTheSincThatItStandsFor) {
    for (double v = 0.001; v < 2.0; v += 0.001) {
        const double x = 0.5 * std::numbers::pi * v;
        EXPECT_NEAR(kernel_shape(v * v), std::pow(std::sin(x) / x, 6), 1e-11) << "v = " << v;
    }
}

TEST(Kernel, FallsFromOneToZeroAndStaysThere) {
    EXPECT_EQ(kernel_shape(0.0), 1.0);
    double last = 1.0;
    for (double q = 0.01; q < 4.0; q += 0.01) {
        const double value = kernel_shape(q);
        EXPECT_LT(value, last) << "q = " << q;
        last = value;
    }
    EXPECT_EQ(kernel_shape(4.0), 0.0);
    EXPECT_EQ(kernel_shape(1e6), 0.0);
}

}  // namespace
}  // namespace evrard
