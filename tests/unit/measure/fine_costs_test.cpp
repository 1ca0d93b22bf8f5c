// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/fine_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace gimbal;

constexpr std::uint64_t kIterations = 120;

/// Costs of 10 with two heavy ones.
std::vector<double> with_two_heavy() {
    std::vector<double> costs(kIterations, 10);
    costs[37] = 400;
    costs[90] = 250;
    return costs;
}

void time_chunks(FineCosts& fine, const std::vector<double>& costs, std::uint64_t size, std::uint64_t first = 0) {
    for (std::uint64_t begin = 0; begin < kIterations;) {
        const std::uint64_t end = begin == 0 && first > 0 ? first : std::min(begin + size, kIterations);
        double time = 0;
        for (std::uint64_t i = begin; i < end; ++i) time += costs[i];
        fine.add({begin, end}, time);
        begin = end;
    }
}

double sum_of(const FineCosts& fine, Range range) {
    double sum = 0;
    for (std::uint64_t i = range.first; i < range.end; ++i) sum += fine.cost(i);
    return sum;
}

TEST(FineCosts, OneTimingOfEachIterationShowsItsCost) {
    FineCosts fine;
    fine.prepare(kIterations);
    EXPECT_EQ(fine.resolved(37), 0U);
    const std::vector<double> costs = with_two_heavy();
    time_chunks(fine, costs, 20);
    EXPECT_EQ(fine.resolved(37), 20U);
    time_chunks(fine, costs, 1);
    for (std::uint64_t i = 0; i < kIterations; ++i) {
        EXPECT_NEAR(fine.cost(i), costs[i], 1e-3);
        EXPECT_EQ(fine.resolved(i), 1U);
    }
}

TEST(FineCosts, LongChunksThatAreCutElsewhereFindTheHeavyIteration) {
    FineCosts fine;
    fine.prepare(kIterations);
    const std::vector<double> costs = with_two_heavy();
    for (int round = 0; round < 40; ++round) time_chunks(fine, costs, 8, 1 + round % 8);
    EXPECT_GT(fine.cost(37), 200);
    EXPECT_GT(fine.cost(90), 125);
    EXPECT_LT(fine.cost(30), 20);
}

TEST(FineCosts, ChunksThatWereSeenKeepTheirSum) {
    FineCosts fine;
    fine.prepare(kIterations);
    const std::vector<double> costs = with_two_heavy();
    time_chunks(fine, costs, 15);
    for (std::uint64_t first = 0; first < kIterations; first += 15) {
        double sum = 0;
        for (std::uint64_t i = first; i < first + 15; ++i) sum += costs[i];
        EXPECT_NEAR(sum_of(fine, {first, first + 15}), sum, 1e-3);
    }
}

TEST(FineCosts, ALongChunkThatIsOffDoesNotUndoShortOnes) {
    FineCosts fine;
    fine.prepare(kIterations);
    time_chunks(fine, with_two_heavy(), 1);
    fine.add({0, kIterations}, 1.3 * sum_of(fine, {0, kIterations}));
    EXPECT_NEAR(fine.cost(37), 400, 0.01 * 400);
    EXPECT_EQ(fine.resolved(37), 1U);
}

TEST(FineCosts, AnotherLoopIsLearntAnew) {
    FineCosts fine;
    fine.prepare(kIterations);
    time_chunks(fine, with_two_heavy(), 1);
    const std::vector<double> other(kIterations, 100);
    time_chunks(fine, other, 10);
    EXPECT_NEAR(sum_of(fine, {0, 10}), 1000, 1e-2);
    EXPECT_EQ(fine.resolved(0), 10U);
    fine.prepare(kIterations);
    EXPECT_EQ(fine.resolved(0), 10U);
    fine.prepare(2 * kIterations);
    EXPECT_EQ(fine.resolved(0), 0U);
    fine.prepare(FineCosts::kMaxIterations + 1);
    EXPECT_EQ(fine.iterations(), 0U);
    fine.add({0, 5}, 1);
}

TEST(FineCosts, SpreadIsTheDeviationOfSingleIterations) {
    ChunkCosts costs;
    costs.prepare(kIterations, 4);
    costs.add({0, kIterations}, 100.0 * kIterations);
    CostProfile profile;
    const ChunkCosts* const seen[] = {&costs};
    profile.learn(seen);
    FineCosts fine;
    fine.prepare(kIterations);
    time_chunks(fine, std::vector<double>(kIterations, 100), 20);
    EXPECT_EQ(fine.spread(profile), 0);  // long chunks say nothing of single iterations
    std::vector<double> straying(kIterations);
    for (std::uint64_t i = 0; i < kIterations; ++i) straying[i] = i % 2 == 0 ? 130 : 70;
    time_chunks(fine, straying, 1);
    EXPECT_NEAR(fine.spread(profile), 0.3, 1e-5);
}

}  // namespace
