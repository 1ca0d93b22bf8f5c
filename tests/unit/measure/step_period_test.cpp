// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/step_period.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace {

using gimbal::StepPeriod;

StepPeriod after(int steps, const std::function<double(int)>& log_time) {
    StepPeriod period;
    for (int step = 0; step < steps; ++step) period.add(log_time(step));
    return period;
}

TEST(StepPeriod, FindsTheShortest) {
    for (const int length : {2, 3, 4, 5, 6, 7, 8}) {
        const StepPeriod period = after(40, [&](int step) { return step % length == 0 ? 1.0 : 0.01 * (step % 3); });
        EXPECT_EQ(period.found(), static_cast<unsigned>(length));
    }
}

TEST(StepPeriod, NeedsSome) {
    const auto alternating = [](int step) { return static_cast<double>(step % 2); };
    EXPECT_EQ(after(17, alternating).found(), 1U);
    EXPECT_EQ(after(18, alternating).found(), 2U);
}

TEST(StepPeriod, IsNotFoundInNoise) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(0, 0.3);
    StepPeriod period;
    int found = 0;
    for (int step = 0; step < 20'000; ++step) {
        period.add(noise(random));
        found += period.found() > 1 ? 1 : 0;
    }
    EXPECT_LE(found, 20);
}

TEST(StepPeriod, IsNotFoundInInterruptions) {
    std::mt19937_64 random(2);
    std::bernoulli_distribution struck(0.1);
    StepPeriod period;
    int found = 0;
    for (int step = 0; step < 20'000; ++step) {
        period.add(struck(random) ? 0.7 : 0.0);
        found += period.found() > 1 ? 1 : 0;
    }
    EXPECT_LE(found, 200);
}

TEST(StepPeriod, IsNotFoundWhereTimesGrowOrJump) {
    EXPECT_EQ(after(200, [](int step) { return 0.05 * step; }).found(), 1U);
    EXPECT_EQ(after(200, [](int step) { return step % 50 < 25 ? 0.0 : 1.0; }).found(), 1U);
}

TEST(StepPeriod, CountsWhatItDoesNotKnow) {
    StepPeriod period;
    for (int step = 0; step < 100; ++step) {
        if (step % 5 == 4) {
            period.skip();
        } else {
            period.add(step % 2);
        }
    }
    EXPECT_EQ(period.found(), 2U);
}

}  // namespace
