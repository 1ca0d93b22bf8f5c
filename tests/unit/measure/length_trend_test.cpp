// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/length_trend.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using gimbal::LengthTrend;

TEST(LengthTrend, WithoutATrendWorkIsTheIterations) {
    LengthTrend trend;
    EXPECT_EQ(trend.work(7), 7);
    for (int k = 0; k < 100; ++k) trend.add(1000, k % 2 ? 90 : 110);  // one length, noise
    EXPECT_EQ(trend.work(1000), 1000);
    EXPECT_EQ(trend.exponent(), 1);
    LengthTrend proportional;  // iterations cost the same
    for (std::uint64_t n = 100; n < 150; ++n) proportional.add(n, 3.0 * static_cast<double>(n));
    EXPECT_EQ(proportional.work(120), 120);
}

TEST(LengthTrend, TimesPerWorkAreTheSameWhereIterationsOfLongerExecutionsCostMore) {
    LengthTrend trend;
    const auto time = [](std::uint64_t n, int k) {
        return std::pow(static_cast<double>(n), 2.0) * (k % 3 == 0 ? 1.03 : 1) * (k % 50 == 49 ? 20 : 1);
    };
    int k = 0;
    for (int sweep = 0; sweep < 8; ++sweep)
        for (std::uint64_t n = 31; n >= 21; --n, ++k) trend.add(n, time(n, k));
    EXPECT_NEAR(trend.exponent(), 2, 0.15);  // in spite of noise and interruptions
    const double longest = time(31, 1) / trend.work(31);
    EXPECT_NEAR(time(21, 1) / trend.work(21) / longest, 1, 0.06);
    EXPECT_LT(time(21, 1) / 21 / (time(31, 1) / 31), 0.7);  // as iterations would have it
}

TEST(LengthTrend, WhatCannotBeMeasuredIsNotLearntFrom) {
    LengthTrend trend;
    for (int k = 0; k < 50; ++k) {
        trend.add(0, 1);
        trend.add(5, 0);
        trend.add(5, std::nan(""));
    }
    EXPECT_EQ(trend.work(5), 5);
}

}  // namespace
