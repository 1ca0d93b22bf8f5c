// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adaptive techniques in virtual time: workers of known speed draw until nothing is left.
#include "technique/adaptive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "virtual_loop.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

std::vector<const AdaptiveTechnique*> adaptive_techniques() {
    std::vector<const AdaptiveTechnique*> all;
    for (const Technique* technique : techniques())
        if (technique->adaptive()) all.push_back(technique->adaptive());
    return all;
}

/// Draw in virtual time: iteration i of worker w takes cost(i) / speed[w].
template <class Cost>
Outcome draw(const AdaptiveTechnique& technique, LoopShape shape, const std::vector<double>& speed, Cost cost) {
    const VirtualLoop loop(shape.iterations, cost);
    const VirtualTeam team{speed};
    if (technique.info().needs_statistics) shape.statistics = first_statistics(loop, team);
    return run_virtually(technique, shape, loop, team);
}

class EveryAdaptive : public testing::TestWithParam<const AdaptiveTechnique*> {};

TEST_P(EveryAdaptive, CoversTheLoopForAnyNumberOfIterationsAndWorkers) {
    for (const std::uint64_t n : {0U, 1U, 2U, 3U, 7U, 1000U, 10007U}) {
        for (const std::uint32_t workers : {1U, 2U, 3U, 8U, 40U}) {
            const LoopShape shape{.iterations = n, .workers = workers};
            const Outcome outcome = draw(*GetParam(), shape, std::vector<double>(workers, 1), [](auto) { return 1.0; });
            EXPECT_EQ(outcome.covered, n) << "P=" << workers;
            EXPECT_LE(outcome.chunks, n);
        }
    }
}

TEST_P(EveryAdaptive, BalancesWorkersOfUnequalSpeed) {
    const std::vector<double> speed{1, 1, 2, 4};
    const LoopShape shape{.iterations = 100000, .workers = 4};
    const Outcome outcome = draw(*GetParam(), shape, speed, [](auto) { return 1.0; });
    const double ideal = 100000.0 / 8;
    EXPECT_LT(*std::max_element(outcome.finish.begin(), outcome.finish.end()), 1.02 * ideal);
    EXPECT_GT(outcome.iterations[3], 3 * outcome.iterations[0]);
}

TEST_P(EveryAdaptive, BalancesNoise) {
    const LoopShape shape{.iterations = 20000, .workers = 4};
    const auto cost = [](std::uint64_t i) { return 1 + static_cast<double>(i * 2654435761U % 1000) / 100; };
    const Outcome outcome = draw(*GetParam(), shape, {1, 1, 1, 1}, cost);
    const double mean = std::accumulate(outcome.finish.begin(), outcome.finish.end(), 0.0) / 4;
    EXPECT_LT(*std::max_element(outcome.finish.begin(), outcome.finish.end()), 1.02 * mean);
}

TEST_P(EveryAdaptive, BalancesFallingAndRisingCosts) {
    if (GetParam()->info().name.ends_with("af"))
        GTEST_SKIP() << "costs that drift are outside adaptive factoring's model";
    const LoopShape shape{.iterations = 20000, .workers = 4};
    for (const bool falling : {false, true}) {
        const auto cost = [&](std::uint64_t i) {
            const auto place = static_cast<double>(i);
            return falling ? 20000 - place : place + 1;
        };
        const Outcome outcome = draw(*GetParam(), shape, {1, 1, 1, 1}, cost);
        const double mean = std::accumulate(outcome.finish.begin(), outcome.finish.end(), 0.0) / 4;
        EXPECT_LT(*std::max_element(outcome.finish.begin(), outcome.finish.end()), 1.05 * mean)
            << "falling: " << falling;
    }
}

// LB4OMP's awf-b and awf-d take 2 times the best on the half-empty loop, its bold and fac 1.5 times on these.
TEST_P(EveryAdaptive, FallsIntoNoTrapOnTwoWorkers) {
    const std::string_view name = GetParam()->info().name;
    for (const std::uint64_t n : {1000U, 100000U}) {
        const VirtualTeam team = equal_team(2, 3);
        EXPECT_LT(ratio_to_ideal(name, rising_loop(n), team), 1.02) << n;
        EXPECT_LT(ratio_to_ideal(name, falling_loop(n), team), 1.02) << n;
        EXPECT_LT(ratio_to_ideal(name, half_empty_loop(n), team), 1.02) << n;
        EXPECT_LT(ratio_to_ideal(name, half_full_loop(n), team), 1.2) << n;
    }
}

TEST_P(EveryAdaptive, KeepsTheMinimumChunk) {
    const LoopShape shape{.iterations = 10000, .workers = 3, .chunk = 50};
    EXPECT_GE(draw(*GetParam(), shape, {1, 2, 3}, [](auto) { return 1.0; }).smallest_but_last, 50U);
}

TEST_P(EveryAdaptive, NeedsFarFewerChunksThanIterations) {
    const LoopShape shape{.iterations = 100000, .workers = 4};
    EXPECT_LT(draw(*GetParam(), shape, {1, 1, 1, 1}, [](auto) { return 1.0; }).chunks, 1000U);
}

TEST_P(EveryAdaptive, SurvivesAClockThatStandsStill) {
    const LoopShape shape{.iterations = 5000, .workers = 3};
    EXPECT_EQ(draw(*GetParam(), shape, {1, 1, 1}, [](auto) { return 0.0; }).covered, 5000U);
}

std::string name_of(const testing::TestParamInfo<const AdaptiveTechnique*>& info) {
    std::string name(info.param->info().name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Technique, EveryAdaptive, testing::ValuesIn(adaptive_techniques()), name_of);

TEST(WorkerTimes, LaterChunksCountMoreInTheWeightedMean) {
    WorkerTimes times;
    times.add(10, 10);  // k = 1: 1 per iteration
    times.add(10, 40);  // k = 2: 4 per iteration
    EXPECT_DOUBLE_EQ(1 / times.weighted_speed(), (1 * 10 + 2 * 40) / (1 * 10.0 + 2 * 10));
    EXPECT_DOUBLE_EQ(times.mean(), 2.5);
    EXPECT_DOUBLE_EQ(times.dispersion(), ((10 * 1 + 10 * 16) / 20.0 - 2.5 * 2.5) / 2.5);
    EXPECT_DOUBLE_EQ(times.speed(), 1 / 2.5);
    times.reset();
    EXPECT_EQ(times.weighted_speed(), 0);
    EXPECT_EQ(times.chunks(), 0U);
}

TEST(SpeedWeight, IsTheShareOfTheSpeeds) {
    std::vector<WorkerTimes> times(3);
    EXPECT_EQ(speed_weight(times, 0), 1) << "nobody knows anything";
    times[0].add(10, 10);  // speed 1
    times[1].add(10, 5);   // speed 2
    EXPECT_DOUBLE_EQ(speed_weight(times, 0), 2.0 / 3) << "two known speeds, mean 1.5";
    EXPECT_DOUBLE_EQ(speed_weight(times, 1), 4.0 / 3);
    EXPECT_EQ(speed_weight(times, 2), 1) << "no figures: the mean of the others";
    times[2].add(10, 10.0 / 3);  // speed 3
    EXPECT_DOUBLE_EQ(speed_weight(times, 0) + speed_weight(times, 1) + speed_weight(times, 2), 3);
}

TEST(Af, WithoutVarianceItHandsOutEqualTimes) {
    std::vector<WorkerTimes> times(2);
    for (int i = 0; i < 2; ++i) {
        times[0].add(10, 10);  // 1 per iteration
        times[1].add(10, 30);  // 3 per iteration
    }
    const AdaptiveTechnique& af = *find_technique("af")->adaptive();
    // T = 1 / (1 + 1/3) = 3/4, T R / m_i: 300 and 100 of 400; the bound is N / 2P.
    EXPECT_EQ(af.size({times, 1, 1000, 400, 0}), 100U);
    EXPECT_EQ(af.size({times, 0, 2000, 400, 0}), 300U);
    EXPECT_EQ(af.size({times, 0, 1000, 400, 0}), 250U);
}

}  // namespace
