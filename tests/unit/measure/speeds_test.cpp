// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/speeds.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

using gimbal::Speeds;
using gimbal::WorkerRecord;

/// Workers that took these times for these iterations.
std::vector<WorkerRecord> execution(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& time_and_iterations) {
    std::vector<WorkerRecord> workers;
    for (const auto& [time, iterations] : time_and_iterations) workers.push_back({100, 100 + time, 1, iterations});
    return workers;
}

TEST(Speeds, NothingIsKnownBeforeTheFirstExecution) {
    EXPECT_TRUE(Speeds().weights().empty());
}

TEST(Speeds, WeightsAreTheSharesOfTheSpeeds) {
    Speeds speeds;
    speeds.add(execution({{10, 10}, {10, 30}}));
    const auto weights = speeds.weights();
    ASSERT_EQ(weights.size(), 2U);
    EXPECT_DOUBLE_EQ(weights[0], 0.5);
    EXPECT_DOUBLE_EQ(weights[1], 1.5);
}

TEST(Speeds, LaterExecutionsCountMore) {
    Speeds speeds;
    speeds.add(execution({{10, 10}, {10, 10}}));  // k = 1: equal
    speeds.add(execution({{10, 10}, {10, 30}}));  // k = 2: speeds 1 and 3
    // speeds: 30 / 30 and (10 + 60) / 30; sum 10 / 3
    EXPECT_DOUBLE_EQ(speeds.weights()[0], 2 * 1 / (10.0 / 3));
    EXPECT_DOUBLE_EQ(speeds.weights()[1], 2 * (7.0 / 3) / (10.0 / 3));
}

TEST(Speeds, AWorkerWithoutIterationsCountsAsTheMeanOfTheOthers) {
    Speeds speeds;
    speeds.add(execution({{10, 10}, {10, 30}, {10, 0}}));
    const auto weights = speeds.weights();
    EXPECT_DOUBLE_EQ(weights[2], 1);
    EXPECT_DOUBLE_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), 3);
}

TEST(Speeds, AClockThatStoodStillMakesNobodyInfinitelyFast) {
    Speeds speeds;
    speeds.add(execution({{0, 10}, {10, 10}}));
    for (const double weight : speeds.weights()) {
        EXPECT_GT(weight, 0);
        EXPECT_LE(weight, 2);
    }
}

}  // namespace
