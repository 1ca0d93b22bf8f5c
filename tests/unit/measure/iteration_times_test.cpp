// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/iteration_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using gimbal::IterationTimes;

TEST(IterationTimes, OneChunkShowsNoDeviation) {
    IterationTimes times;
    times.add(10, 50);
    EXPECT_FALSE(times.statistics(1).known);
}

TEST(IterationTimes, MeanCountsIterationsNotChunks) {
    IterationTimes times;
    times.add(3, 3);  // three iterations of 1
    times.add(1, 5);  // one of 5
    const auto seen = times.statistics(0.25);
    ASSERT_TRUE(seen.known);
    EXPECT_DOUBLE_EQ(seen.mean, 2);
    EXPECT_DOUBLE_EQ(seen.overhead, 0.25);
}

TEST(IterationTimes, SingleIterationsGiveTheOrdinaryDeviation) {
    IterationTimes times;
    for (const double time : {1.0, 3.0, 1.0, 3.0}) times.add(1, time);
    EXPECT_DOUBLE_EQ(times.statistics(1).sd * times.statistics(1).sd, 4.0 / 3);
}

TEST(IterationTimes, IndependentIterationsGiveTheirDeviationFromChunksOfAnySize) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> cost(0, 2);  // mean 1, deviation 1/sqrt(3)
    for (const int size : {1, 8, 100}) {
        IterationTimes times;
        for (int chunk = 0; chunk < 2000; ++chunk) {
            double time = 0;
            for (int i = 0; i < size; ++i) time += cost(random);
            times.add(static_cast<std::uint64_t>(size), time);
        }
        EXPECT_NEAR(times.statistics(1).sd, 1 / std::sqrt(3.0), 0.05) << "chunks of " << size;
    }
}

TEST(IterationTimes, DriftingCostsShowAsChunksThatStray) {
    // Costs rise from 0 to 2 along the loop; two chunks of half of it stray by 1/2 per iteration, all the way.
    IterationTimes times;
    times.add(1000, 500);
    times.add(1000, 1500);
    EXPECT_NEAR(times.statistics(1).sd, 0.5 * std::sqrt(2 * 1000.0), 1e-9);
}

TEST(IterationTimes, StrayingLargeChunksAreNotHiddenAmongManySmallOnes) {
    IterationTimes times;
    times.add(1000, 500);
    times.add(1000, 1500);
    for (int i = 0; i < 500; ++i) times.add(1, 1);
    EXPECT_NEAR(times.statistics(1).sd, 0.5 * std::sqrt(1000.0), 1e-9);
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
