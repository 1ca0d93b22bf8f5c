// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

TEST(Noise, IsFiniteAndMeasuredOnce) {
    const double first = gimbal::noise_ticks();
    EXPECT_TRUE(std::isfinite(first));
    EXPECT_GE(first, 0);
    EXPECT_EQ(gimbal::noise_ticks(), first);
}

}  // namespace
