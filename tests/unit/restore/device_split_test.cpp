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

TEST(DeviceTally, ExecutionsOnThreadsAloneCountInThePartAndNotInTheSpeed) {
    DeviceTally tally;
    tally.add_alone(100);
    EXPECT_EQ(split_text(tally.split()), "") << "there is no device";
    tally.add({{50, 1}, {30, 1}, {20, 1}}, 100, false);
    for (int i = 0; i < 4; ++i) tally.add_alone(100);
    EXPECT_EQ(tally.split().executions, 5);
    EXPECT_DOUBLE_EQ(tally.split().part, 0.1);
    EXPECT_DOUBLE_EQ(tally.split().last, 0);
    EXPECT_DOUBLE_EQ(tally.split().speed, 2);
    EXPECT_FALSE(tally.too_slow() || tally.in_vain());
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

TEST(DeviceTally, ADeviceThatDoesLessThanTheThreadThatDrivesItIsThereInVain) {
    const auto executions = [](std::int64_t device_rows, double device_s, bool one_piece) {
        DeviceTally tally;  // two threads, of which one drives the device; a row takes the other one 0.01 s
        int execution = 0;
        for (; execution < 20 && !tally.in_vain(); ++execution)
            tally.add(
                {{device_rows, device_s}, {100 - device_rows, 0.01 * static_cast<double>(100 - device_rows)}, {0, 0}},
                100, one_piece);
        EXPECT_FALSE(tally.too_slow());
        return execution;
    };
    for (const bool one_piece : {false, true}) {
        EXPECT_EQ(executions(40, 0.6, one_piece), DeviceTally::kVainExecutions) << "0.6 s; two threads need 0.5";
        EXPECT_EQ(executions(60, 0.4, one_piece), 20) << "0.4 s";
    }
}

TEST(DeviceTally, ExecutionsThatGainInBetweenKeepTheDevice) {
    DeviceTally tally;
    for (int i = 0; i < 50; ++i) {
        const bool gains = i % DeviceTally::kVainExecutions == DeviceTally::kVainExecutions - 1;
        tally.add({{gains ? 60 : 40, 0.4}, {gains ? 40 : 60, gains ? 0.4 : 0.6}, {0, 0}}, 100, false);
        EXPECT_FALSE(tally.in_vain());
    }
}

TEST(DeviceTally, ATeamOfOneRunsBothSidesOneAfterTheOther) {
    const auto in_vain = [](double device_s) {
        DeviceTally tally;
        for (int i = 0; i < DeviceTally::kVainExecutions; ++i) tally.add({{50, device_s}, {50, 1}}, 100, false);
        return tally.in_vain();
    };
    EXPECT_TRUE(in_vain(1.1));
    EXPECT_FALSE(in_vain(0.9));
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

/// 1 ms for a launch; work that becomes a hundredth, of which the device takes as long as a thread.
TEST(DeviceTally, LaunchesThatAreLeftOfLightWorkAreNoSlowDevice) {
    DeviceTally tally;
    for (double work_s = 0.1; work_s > 0.0001; work_s *= 0.9) {
        tally.add({{100, work_s + 0.002, 2}, {100, work_s, 5}}, 200, false, 0.001);
        EXPECT_FALSE(tally.has_slowed()) << work_s;
    }
    for (int i = 0; i < 3; ++i) tally.add({{100, 0.4, 2}, {100, 0.1, 5}}, 200, true, 0.001);
    EXPECT_TRUE(tally.has_slowed()) << "in what it does itself";
}

TEST(DeviceTally, WhatWasSaidOfADeviceCanBeForgotten) {
    DeviceTally tally;
    for (int i = 0; i < DeviceTally::kVainExecutions; ++i) tally.add({{50, 9}, {50, 1}}, 100, false);
    EXPECT_TRUE(tally.too_slow() && tally.in_vain());
    tally.begin_anew();
    EXPECT_FALSE(tally.too_slow() || tally.in_vain() || tally.has_slowed());
}

TEST(DeviceTally, WhereTheDeviceRunsAllRowsItIsNotLate) {
    DeviceTally tally;
    for (int i = 0; i < 5; ++i) tally.add({{100, 1}}, 100, true);
    EXPECT_FALSE(tally.too_slow());
    EXPECT_DOUBLE_EQ(tally.split().part, 1);
    EXPECT_DOUBLE_EQ(tally.split().speed, 0) << "nothing to compare with";
}

}  // namespace
