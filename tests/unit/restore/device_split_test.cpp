// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/device_split.hpp"

#include <gtest/gtest.h>

namespace {

using namespace gimbal;

TEST(DeviceTally, AddsUpExecutionsAndKeepsTheLastOne) {
    DeviceTally tally;
    EXPECT_EQ(tally.split().executions, 0);
    tally.add({{50, 1}, {30, 1}, {20, 1}}, 100, false);
    EXPECT_DOUBLE_EQ(tally.split().part, 0.5);
    EXPECT_DOUBLE_EQ(tally.split().speed, 2) << "50 rows/s of the device, 25 of a thread";
    tally.add({{90, 1}, {10, 1}, {0, 0}}, 100, false);
    EXPECT_EQ(tally.split().executions, 2);
    EXPECT_DOUBLE_EQ(tally.split().last, 0.9);
    EXPECT_DOUBLE_EQ(tally.split().part, 0.7);
}

TEST(DeviceTally, OnlySeveralLateExecutionsInARowAreTooSlow) {
    DeviceTally tally;
    const auto run = [&](std::int64_t rows, double device_s, bool one_piece) {
        tally.add({{rows, device_s}, {100 - rows, 1}}, 100, one_piece);
        return tally.too_slow();
    };
    EXPECT_FALSE(run(50, 1.6, false) || run(50, 1.6, false) || run(50, 1.4, false));
    EXPECT_FALSE(run(50, 1.6, false) || run(50, 1.6, false));
    EXPECT_TRUE(run(50, 1.6, false));
    EXPECT_FALSE(run(50, 1.6, true)) << "the next piece will be shorter";
    EXPECT_FALSE(run(0, 0, true) || run(0, 0, true));
    EXPECT_TRUE(run(0, 0, true)) << "the device gets nothing";
}

TEST(DeviceTally, ADeviceThatTakesLongerThanItDidIsLookedAtAnew) {
    for (const bool alone : {false, true}) {
        DeviceTally tally;
        const auto run = [&](double device_s) {
            tally.add({{100, device_s}, {alone ? 0 : 100, alone ? 0.0 : 1.0}}, 200, true);
            return tally.has_slowed();
        };
        for (int i = 0; i < 5; ++i) EXPECT_FALSE(run(1 + i % 2));
        EXPECT_FALSE(run(4) || run(4));
        EXPECT_TRUE(run(4)) << "the third in a row";
        for (int i = 0; i < 5; ++i) EXPECT_FALSE(run(4)) << "that is what it is like now";
        EXPECT_FALSE(run(20) || run(20) || run(20)) << "too soon";
        for (int i = 0; i < 55; ++i) EXPECT_FALSE(run(20));
        EXPECT_TRUE(run(20));
    }
}

TEST(DeviceTally, WorkThatBecomesMoreForThreadsTooIsNoSlowDevice) {
    DeviceTally tally;
    for (double work_s : {1.0, 0.1, 0.01, 1.0, 10.0, 10.0, 10.0, 10.0}) {
        tally.add({{100, work_s}, {100, work_s}}, 200, true);
        EXPECT_FALSE(tally.has_slowed());
    }
}

TEST(DeviceTally, WhereTheDeviceRunsAllRowsItIsNotLate) {
    DeviceTally tally;
    for (int i = 0; i < 5; ++i) tally.add({{100, 1}}, 100, true);
    EXPECT_FALSE(tally.too_slow());
    EXPECT_DOUBLE_EQ(tally.split().part, 1);
    EXPECT_DOUBLE_EQ(tally.split().speed, 0) << "nothing to compare with";
}

}  // namespace
