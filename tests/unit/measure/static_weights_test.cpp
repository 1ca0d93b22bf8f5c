// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/static_weights.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace {

using gimbal::StaticWeights;
using gimbal::WorkerRecord;

/// A worker that ran `iterations` of its static part in `time`.
WorkerRecord ran(std::uint64_t iterations, std::uint64_t time) {
    WorkerRecord record;
    record.begin = 1000;
    record.static_end = 1000 + time;
    record.static_iterations = iterations;
    return record;
}

TEST(StaticWeights, AreUnknownBeforeTheFirstTimedExecution) {
    StaticWeights weights;
    EXPECT_TRUE(weights.weights().empty());
}

TEST(StaticWeights, MoveHalfWayToTheSpeedsAndConverge) {
    StaticWeights weights;
    const WorkerRecord workers[] = {ran(300, 100), ran(100, 100)};  // speeds 3 : 1, weights 1.5 and 0.5
    weights.add(workers);
    ASSERT_EQ(weights.weights().size(), 2U);
    EXPECT_NEAR(weights.weights()[0], 1.25, 1e-12);
    EXPECT_NEAR(weights.weights()[1], 0.75, 1e-12);
    for (int i = 0; i < 20; ++i) weights.add(workers);
    EXPECT_NEAR(weights.weights()[0], 1.5, 0.04);
}

TEST(StaticWeights, StayWhereChangesAreSmall) {
    StaticWeights weights;
    weights.add(std::vector<WorkerRecord>{ran(100, 100), ran(100, 100)});
    const std::vector<double> before = weights.weights();
    weights.add(std::vector<WorkerRecord>{ran(101, 100), ran(100, 100)});
    EXPECT_EQ(weights.weights(), before);
}

TEST(StaticWeights, SumToTheNumberOfWorkersAlsoWhenSomeShowedNothing) {
    StaticWeights weights;
    weights.add(std::vector<WorkerRecord>{ran(0, 0), ran(900, 100), ran(100, 100), ran(1, 0)});
    const double sum = std::accumulate(weights.weights().begin(), weights.weights().end(), 0.0);
    EXPECT_NEAR(sum, 4, 1e-12);
    for (const double weight : weights.weights()) EXPECT_GT(weight, 0);
}

TEST(StaticWeights, NobodyIsEverLeftWithoutAnything) {
    StaticWeights weights;
    for (int i = 0; i < 50; ++i) weights.add(std::vector<WorkerRecord>{ran(1, 1000000), ran(1000000, 1)});
    EXPECT_GT(weights.weights()[0], 0.01);
}

}  // namespace
