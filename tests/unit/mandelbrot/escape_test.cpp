// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "escape.hpp"

#include <gtest/gtest.h>

#include <complex>

namespace mandelbrot {
namespace {

TEST(Escape, CountsKnownPoints) {
    EXPECT_EQ(escape_count(0.0, 0.0, 1000), 1000U);    // a fixed point
    EXPECT_EQ(escape_count(-1.0, 0.0, 1000), 1000U);   // 0, -1, 0, ...
    EXPECT_EQ(escape_count(0.472, 0.0, 1000), 1000U);  // the set's border on the real axis: 3 / 4^(4/3) = 0.47247
    EXPECT_LT(escape_count(0.474, 0.0, 1000), 1000U);
    EXPECT_EQ(escape_count(3.0, 0.0, 1000), 1U);  // z = 0, then 3
    EXPECT_EQ(escape_count(2.0, 0.0, 1000), 2U);  // z = 0, 2 (|z|^2 is 4, not more), 18
    EXPECT_EQ(escape_count(3.0, 0.0, 1), 1U);
}

TEST(Escape, AgreesWithComplexArithmetic) {
    const Image image{40, 30, 50};
    const Window window{-0.2, 0.4, 0.9};
    for (std::int64_t row = 0; row < image.height; ++row) {
        for (std::int64_t column = 0; column < image.width; ++column) {
            const std::complex<double> c(-1.1 + 1.8 * (static_cast<double>(column) + 0.5) / 40.0,
                                         -0.5 + 1.8 * (static_cast<double>(row) + 0.5) / 30.0);
            std::complex<double> z = 0.0;
            std::uint32_t count = 0;
            while (count < 50 && std::norm(z) <= 4.0) {
                z = z * z * z * z + c;
                ++count;
            }
            EXPECT_EQ(pixel_count(image, window, row * image.width + column), count) << row << ' ' << column;
        }
    }
}

}  // namespace
}  // namespace mandelbrot
