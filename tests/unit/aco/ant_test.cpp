// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ant.hpp"

#include "small.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace aco {
namespace {

TEST(MakeSchedule, EveryJobOnceAndTheTardinessIsThatOfTheSchedule) {
    for (const std::size_t jobs : {1U, 2U, 3U, 7U, 40U, 100U}) {
        const Instance instance = many_jobs(jobs);
        const Pheromone pheromone(jobs);
        Workspace workspace(jobs);
        std::vector<Job> order(jobs);
        std::vector<Job> all(jobs);
        std::iota(all.begin(), all.end(), Job{0});
        for (std::int64_t ant = 0; ant < 200; ++ant) {
            const Taste taste = ant % 2 == 0 ? Taste::weight : Taste::weight_squared;
            const std::int64_t found =
                make_schedule(instance, pheromone, taste, stream_of(1, ant, 0), workspace, order);
            ASSERT_EQ(found, tardiness(instance, order));
            std::vector<Job> sorted = order;
            std::ranges::sort(sorted);
            ASSERT_EQ(sorted, all);
        }
    }
}

TEST(MakeSchedule, DependsOnSeedAntAndIterationAndNothingElse) {
    const Instance instance = many_jobs(40);
    const Pheromone pheromone(40);
    Workspace used(40);
    const auto made = [&](apps::Random random, Workspace& workspace) {
        std::vector<Job> order(40);
        make_schedule(instance, pheromone, Taste::weight, random, workspace, order);
        return order;
    };
    const std::vector<Job> first = made(stream_of(1, 5, 7), used);
    Workspace fresh(40);
    EXPECT_EQ(made(stream_of(1, 5, 7), fresh), first);
    EXPECT_NE(made(stream_of(2, 5, 7), fresh), first);
    EXPECT_NE(made(stream_of(1, 6, 7), fresh), first);
    EXPECT_NE(made(stream_of(1, 5, 8), fresh), first);
    EXPECT_NE(made(stream_of(1, 7, 5), fresh), first);
}

/// How often the first of two jobs comes first, which differ by weights of 2 and 1 only.
double heavy_first(Taste taste) {
    const Instance instance{{10, 10}, {2, 1}, {0, 0}};
    const Pheromone pheromone(2);
    Workspace workspace(2);
    std::array<Job, 2> order{};
    int count = 0;
    constexpr int kAnts = 100'000;
    for (int ant = 0; ant < kAnts; ++ant) {
        make_schedule(instance, pheromone, taste, stream_of(3, ant, 0), workspace, order);
        count += order[0] == 0 ? 1 : 0;
    }
    return count / double{kAnts};
}

TEST(MakeSchedule, TakesTheBestWithProbabilityQ0AndElseInProportionToTheScores) {
    EXPECT_NEAR(heavy_first(Taste::weight), kGreedy + (1.0 - kGreedy) * 2.0 / 3.0, 0.002);  // 4 standard deviations
    EXPECT_NEAR(heavy_first(Taste::weight_squared), kGreedy + (1.0 - kGreedy) * 4.0 / 5.0, 0.002);
}

/// The job that most ants put first.
Job first_job(const Instance& instance) {
    const Pheromone pheromone(2);
    Workspace workspace(2);
    std::array<Job, 2> order{};
    int second = 0;
    for (int ant = 0; ant < 1000; ++ant) {
        make_schedule(instance, pheromone, Taste::weight, stream_of(3, ant, 0), workspace, order);
        second += order[0];
    }
    return second > 500 ? 1 : 0;
}

TEST(MakeSchedule, UrgencyIsTheTimeLeftButNoLessThanTheProcessingTime) {
    EXPECT_EQ(first_job({{10, 10}, {1, 1}, {50, 40}}), 1);  // less time left
    EXPECT_EQ(first_job({{10, 9}, {1, 1}, {5, 8}}), 1);     // both are late already: the shorter
    EXPECT_EQ(first_job({{9, 10}, {1, 1}, {0, 2}}), 0);
}

TEST(Random, IsUniformAndStartsElsewhereForEveryAntAndIteration) {
    double sum = 0.0;
    std::vector<double> firsts;
    for (std::int64_t ant = 0; ant < 300; ++ant) {
        for (std::int64_t iteration = 0; iteration < 300; ++iteration) {
            firsts.push_back(stream_of(0, ant, iteration).uniform());
            ASSERT_GE(firsts.back(), 0.0);
            ASSERT_LT(firsts.back(), 1.0);
            sum += firsts.back();
        }
    }
    EXPECT_NEAR(sum / static_cast<double>(firsts.size()), 0.5, 0.005);
    std::ranges::sort(firsts);
    EXPECT_EQ(std::ranges::adjacent_find(firsts), firsts.end());
}

}  // namespace
}  // namespace aco
