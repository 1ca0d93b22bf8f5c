// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/disturbance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace gimbal::simulate;

std::vector<double> at(WorkerSpeeds& speeds, std::uint64_t step) {
    const std::span<const double> now = speeds.slowness(step);
    return {now.begin(), now.end()};
}

TEST(Disturbances, WithoutAnyAllWorkersAreAlike) {
    WorkerSpeeds speeds({}, 7, 1);
    EXPECT_EQ(at(speeds, 0), std::vector<double>(7, 1));
    EXPECT_EQ(at(speeds, 99), std::vector<double>(7, 1));
}

TEST(Disturbances, NoiseHasItsMeanAndDeviationAndIsNewInEveryStep) {
    WorkerSpeeds speeds({.worker_noise = 0.05}, 100, 1);
    double sum = 0;
    double squares = 0;
    double across = 0;
    std::vector<double> before(100, 1);
    for (std::uint64_t step = 0; step < 200; ++step) {
        const std::vector<double> now = at(speeds, step);
        for (std::size_t i = 0; i < 100; ++i) {
            sum += now[i] - 1;
            squares += (now[i] - 1) * (now[i] - 1);
            across += (now[i] - 1) * (before[i] - 1);
        }
        before = now;
    }
    EXPECT_NEAR(sum / 20000, 0, 0.0015);
    EXPECT_NEAR(std::sqrt(squares / 20000), 0.05, 0.001);
    EXPECT_NEAR(across / squares, 0, 0.03);
}

TEST(Disturbances, AStepIsTheSameWheneverItIsAskedFor) {
    WorkerSpeeds one({.worker_noise = 0.05}, 10, 1);
    WorkerSpeeds other({.worker_noise = 0.05}, 10, 1);
    WorkerSpeeds reseeded({.worker_noise = 0.05}, 10, 2);
    const std::vector<double> fifth = at(one, 5);
    static_cast<void>(at(one, 6));
    EXPECT_EQ(at(one, 5), fifth);
    EXPECT_EQ(at(other, 5), fifth);
    EXPECT_NE(at(reseeded, 5), fifth);
}

TEST(Disturbances, OneWorkerIsSlowForAWhile) {
    WorkerSpeeds speeds({.slow_worker = 2, .slow_factor = 3, .slow_first = 10, .slow_end = 20}, 4, 1);
    EXPECT_EQ(at(speeds, 9), std::vector<double>(4, 1));
    EXPECT_EQ(at(speeds, 10), (std::vector<double>{1, 1, 3, 1}));
    EXPECT_EQ(at(speeds, 19), (std::vector<double>{1, 1, 3, 1}));
    EXPECT_EQ(at(speeds, 20), std::vector<double>(4, 1));
}

TEST(Disturbances, SpreadSpeedsLieEvenlyAboutOne) {
    WorkerSpeeds speeds({.spread = 0.5}, 2, 1);
    const std::vector<double> now = at(speeds, 0);
    EXPECT_DOUBLE_EQ(now[0], 1 / 0.75);
    EXPECT_DOUBLE_EQ(now[1], 1 / 1.25);
}

TEST(Disturbances, SpeedsDriftThereAndBack) {
    WorkerSpeeds speeds({.drift = 0.2, .drift_steps = 100}, 4, 1);
    const std::vector<double> start = at(speeds, 0);
    const std::vector<double> round = at(speeds, 100);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(start[i], round[i], 1e-9);
    double fastest = 2;
    double slowest = 0;
    for (std::uint64_t step = 0; step < 100; ++step) {
        fastest = std::min(fastest, at(speeds, step)[0]);
        slowest = std::max(slowest, at(speeds, step)[0]);
    }
    EXPECT_NEAR(fastest, 1 / 1.2, 0.01);
    EXPECT_NEAR(slowest, 1 / 0.8, 0.01);
}

}  // namespace
