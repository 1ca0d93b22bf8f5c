// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/iteration_times.hpp"

#include <gtest/gtest.h>

namespace {

using gimbal::IterationTimes;

TEST(IterationTimes, OneChunkShowsNoDeviation) {
    IterationTimes times;
    times.add(10, 50);
    EXPECT_FALSE(times.statistics(1).known);
}

TEST(IterationTimes, MeanAndDeviationCountIterationsNotChunks) {
    IterationTimes times;
    times.add(3, 3);  // three iterations of 1
    times.add(1, 5);  // one of 5: mean 2, variance (3 * 1 + 9) / 4 = 3
    const auto seen = times.statistics(0.25);
    ASSERT_TRUE(seen.known);
    EXPECT_DOUBLE_EQ(seen.mean, 2);
    EXPECT_DOUBLE_EQ(seen.sd * seen.sd, 3);
    EXPECT_DOUBLE_EQ(seen.overhead, 0.25);
}

TEST(IterationTimes, EqualIterationsDeviateByNothingEvenIfRoundingSaysLess) {
    IterationTimes times;
    for (int i = 0; i < 1000; ++i) times.add(7, 7 * 0.1);
    EXPECT_NEAR(times.statistics(1).sd, 0, 1e-6);
}

TEST(IterationTimes, MergingIsAddingTheChunksOfBoth) {
    IterationTimes one;
    IterationTimes other;
    one.add(3, 3);
    other.add(1, 5);
    one.merge(other);
    EXPECT_DOUBLE_EQ(one.statistics(1).mean, 2);
}

TEST(IterationTimes, EmptyChunksAreIgnored) {
    IterationTimes times;
    times.add(0, 100);
    times.add(2, 2);
    times.add(2, 2);
    EXPECT_DOUBLE_EQ(times.statistics(1).mean, 1);
}

}  // namespace
