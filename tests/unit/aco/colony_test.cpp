// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "colony.hpp"

#include "small.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace aco {
namespace {

void iterate(Colony& colony, Workspace& workspace, int iterations) {
    for (int i = 0; i < iterations; ++i) {
        for (std::int64_t ant = 0; ant < colony.ants(); ++ant) colony.make(ant, workspace);
        colony.end_iteration();
    }
}

Outcome found(const Instance& instance, std::int64_t ants, int iterations, std::uint64_t seed = 1) {
    Colony colony(instance, seed, 0, ants);
    Workspace workspace(instance.jobs());
    iterate(colony, workspace, iterations);
    return colony.outcome();
}

TEST(Colony, FindsTheOptimumOfThreeJobs) {
    const Outcome outcome = found(three_jobs(), 10, 10);
    EXPECT_EQ(outcome.tardiness, 2);
    EXPECT_EQ(outcome.order, (std::vector<Job>{1, 2, 0}));
}

TEST(Colony, AnOptimumOfZeroIsFoundAndSearchedOnFrom) {
    Instance instance = many_jobs(20);
    std::ranges::fill(instance.due, 1'000'000);
    const Outcome outcome = found(instance, 5, 200);
    EXPECT_EQ(outcome.tardiness, 0);
    EXPECT_EQ(tardiness(instance, outcome.order), 0);
}

TEST(Colony, OneAntOneJobOneIteration) {
    const Outcome outcome = found({{5}, {2}, {1}}, 1, 1);
    EXPECT_EQ(outcome.tardiness, 8);
    EXPECT_EQ(outcome.order, std::vector<Job>{0});
}

TEST(Colony, TheOrderOfItsAntsDoesNotMatter) {
    const Instance instance = many_jobs(30);
    const Outcome expected = found(instance, 20, 5);
    Colony colony(instance, 1, 0, 20);
    Workspace workspace(30);
    for (int i = 0; i < 5; ++i) {
        for (std::int64_t ant = 20; ant-- > 0;) colony.make(ant, workspace);
        colony.end_iteration();
    }
    EXPECT_EQ(colony.outcome(), expected);
}

TEST(Colony, NeverForgetsItsBest) {
    const Instance instance = many_jobs(30);
    Colony colony(instance, 1, 0, 5);
    Workspace workspace(30);
    iterate(colony, workspace, 1);
    for (int i = 0; i < 50; ++i) {
        const std::int64_t before = colony.outcome().tardiness;
        iterate(colony, workspace, 1);
        ASSERT_LE(colony.outcome().tardiness, before);
        ASSERT_EQ(tardiness(instance, colony.outcome().order), colony.outcome().tardiness);
    }
}

TEST(Colony, TheChecksumSeesAntsIterationsAndSeed) {
    const Instance instance = many_jobs(30);
    const std::uint64_t checksum = found(instance, 20, 5).checksum;
    EXPECT_NE(found(instance, 21, 5).checksum, checksum);
    EXPECT_NE(found(instance, 20, 6).checksum, checksum);
    EXPECT_NE(found(instance, 20, 5, 2).checksum, checksum);
}

TEST(Colony, RestartsAsNew) {
    const Instance instance = many_jobs(30);
    Workspace workspace(30);
    Colony fresh(instance, 1, 40, 10);
    iterate(fresh, workspace, 10);
    Colony used(instance, 1, 0, 10);
    iterate(used, workspace, 7);
    used.restart(40);
    iterate(used, workspace, 10);
    EXPECT_EQ(used.outcome(), fresh.outcome());
}

TEST(Merged, TakesTheFirstOfTheBestAndAllChecksums) {
    const std::vector<Outcome> outcomes{{9, {0, 1}, 1}, {7, {1, 0}, 2}, {7, {0, 1}, 4}};
    EXPECT_EQ(merged(outcomes), (Outcome{7, {1, 0}, 7}));
}

}  // namespace
}  // namespace aco
