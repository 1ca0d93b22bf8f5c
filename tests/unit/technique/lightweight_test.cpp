// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lightweight family: the ends of the static fraction, the layouts between them, the weights.
#include <algorithm>
#include <numeric>

#include "plan_checks.hpp"
#include "technique/division.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

std::vector<const Technique*> lightweight() {
    std::vector<const Technique*> family;
    for (const Technique* technique : techniques())
        if (technique->info().family == "lightweight") family.push_back(technique);
    return family;
}

constexpr std::uint64_t kIterations[] = {0, 1, 2, 3, 7, 100, 1000, 1003, 100003};
constexpr std::uint32_t kWorkers[] = {1, 2, 3, 8, 40};

class EveryLightweight : public testing::TestWithParam<const Technique*> {};

TEST_P(EveryLightweight, IsStaticBlockForBlockWhenAllIsStatic) {
    for (const std::uint64_t n : kIterations) {
        for (const std::uint32_t workers : kWorkers) {
            const LoopShape shape{.iterations = n, .workers = workers, .chunk = 4, .fraction = 1};
            const Plan expected = technique_named("static").plan({.iterations = n, .workers = workers});
            EXPECT_TRUE(same_plan(GetParam()->plan(shape), expected)) << describe(shape);
        }
    }
}

TEST_P(EveryLightweight, IsDynamicWhenNothingIsStatic) {
    if (GetParam()->info().name == "lws-constrained") GTEST_SKIP() << "dynamic, but with requests thinned out: below";
    for (const std::uint64_t n : kIterations) {
        for (const std::uint32_t workers : kWorkers) {
            for (const std::uint64_t chunk : {0U, 1U, 16U}) {
                const LoopShape shape{.iterations = n, .workers = workers, .chunk = chunk, .fraction = 0};
                const Plan expected = technique_named("ss").plan(shape);
                EXPECT_TRUE(same_plan(GetParam()->plan(shape), expected)) << describe(shape);
            }
        }
    }
}

TEST_P(EveryLightweight, GivesEveryWorkerItsPartOfTheStaticFraction) {
    for (const double fraction : {0.37, 0.5, 0.8}) {
        const LoopShape shape{.iterations = 10007, .workers = 7, .chunk = 3, .fraction = fraction};
        const Plan plan = GetParam()->plan(shape);
        std::uint64_t fixed = 0;
        if (plan.claim == Claim::hybrid) {
            fixed = plan.starts[plan.own.back()];
        } else {
            ASSERT_EQ(plan.claim, Claim::queues);
            for (const Range& prefix : plan.prefixes) fixed += prefix.size();
        }
        EXPECT_EQ(fixed, static_iterations(fraction, 10007)) << fraction;
    }
}

INSTANTIATE_TEST_SUITE_P(Technique, EveryLightweight, testing::ValuesIn(lightweight()), [](const auto& technique) {
    std::string name(technique.param->info().name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Lws, HandsOutTheStaticPartInBlocksAndTheRestInChunks) {
    const Plan plan = technique_named("lws").plan({.iterations = 100, .workers = 4, .chunk = 6, .fraction = 0.8});
    EXPECT_EQ(sizes_of(plan), (Sizes{20, 20, 20, 20, 6, 6, 6, 2}));
    EXPECT_EQ(plan.own, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Lws, WithLessStaticIterationsThanWorkersSomeOwnNothing) {
    const Plan plan = technique_named("lws").plan({.iterations = 6, .workers = 8, .chunk = 1, .fraction = 0.5});
    EXPECT_EQ(plan.own, (std::vector<std::uint64_t>{0, 1, 2, 3, 3, 3, 3, 3, 3}));
    EXPECT_EQ(sizes_of(plan), Sizes(6, 1));
}

TEST(LwsConstrained, IsSharedInChunksAndThinnedOutWhenNothingIsStatic) {
    const Plan plan =
        technique_named("lws-constrained").plan({.iterations = 10, .workers = 2, .chunk = 4, .fraction = 0});
    EXPECT_EQ(sizes_of(plan), (Sizes{4, 4, 2}));
    EXPECT_EQ(plan.own, (std::vector<std::uint64_t>{0, 0, 0}));
    EXPECT_LT(plan.admission, 1);
}

TEST(LwsWeighted, SharesTheStaticPartBySpeed) {
    const std::vector<double> weights{0.5, 1.5};
    const Plan plan = technique_named("lws-weighted")
                          .plan({.iterations = 1000, .workers = 2, .chunk = 50, .weights = weights, .fraction = 0.8});
    EXPECT_EQ(sizes_of(plan), (Sizes{200, 600, 50, 50, 50, 50}));
    const Plan all =
        technique_named("lws-weighted").plan({.iterations = 1000, .workers = 2, .weights = weights, .fraction = 1});
    EXPECT_EQ(sizes_of(all), (Sizes{250, 750}));
}

TEST(LwsStages, EveryStageHandsOutHalfOfWhatRemains) {
    const Plan plan =
        technique_named("lws-stages").plan({.iterations = 100, .workers = 2, .chunk = 4, .fraction = 0.2});
    // 80 remain: 2 x 20, then 2 x 10, 2 x 5, and what is left in chunks of 4.
    EXPECT_EQ(sizes_of(plan), (Sizes{10, 10, 20, 20, 10, 10, 5, 5, 4, 4, 2}));
}

TEST(LwsStaggered, PutsEveryQueueBehindItsWorkersStaticPart) {
    const Plan plan =
        technique_named("lws-staggered").plan({.iterations = 100, .workers = 2, .chunk = 5, .fraction = 0.6});
    EXPECT_EQ(plan.prefixes, (std::vector<Range>{{0, 30}, {50, 80}}));
    EXPECT_EQ(plan.queues, (std::vector<Range>{{30, 50}, {80, 100}}));
    EXPECT_EQ(plan.rules.take, 5U);
}

TEST(LwsSteal, WorkersThatShareAQueueStandBeforeIt) {
    const Plan plan = technique_named("lws-steal")
                          .plan({.iterations = 100, .workers = 4, .chunk = 5, .fraction = 0.6, .workers_per_queue = 2});
    EXPECT_EQ(plan.prefixes, (std::vector<Range>{{0, 15}, {15, 30}, {50, 65}, {65, 80}}));
    EXPECT_EQ(plan.queues, (std::vector<Range>{{30, 50}, {80, 100}}));
}

TEST(StaticSteal, StartsFromStaticsBlocks) {
    const Plan plan = technique_named("static-steal").plan({.iterations = 10, .workers = 3});
    EXPECT_EQ(plan.queues, (std::vector<Range>{{0, 4}, {4, 7}, {7, 10}}));
}

TEST(StaticSteal, HasAQueueForEachWorkerWhateverLwsStealHas) {
    for (const char* const name : {"static-steal", "ich"}) {
        const Plan plan = technique_named(name).plan({.iterations = 12, .workers = 4, .workers_per_queue = 2});
        EXPECT_EQ(plan.queues, (std::vector<Range>{{0, 3}, {3, 6}, {6, 9}, {9, 12}})) << name;
    }
}

// Booth: who runs out takes half of a victim's queue, under either.
TEST(StaticSteal, AThiefTakesHalfUnderIchToo) {
    for (const char* const name : {"static-steal", "ich"})
        EXPECT_TRUE(technique_named(name).plan({.iterations = 1000, .workers = 4, .chunk = 2}).rules.steals_half)
            << name;
}

TEST(Queues, OfLoopsBeyondThirtyTwoBitsCountInLargerGrains) {
    const std::uint64_t n = (std::uint64_t{1} << 40) + 5;
    const Plan plan = technique_named("static-steal").plan({.iterations = n, .workers = 3, .chunk = 1000});
    EXPECT_GT(plan.grain, 1U);
    EXPECT_LT(plan.queues.back().end, std::uint64_t{1} << 32);
    EXPECT_GE(plan.queues.back().end * plan.grain, n);
    EXPECT_LT((plan.queues.back().end - 1) * plan.grain, n);
    EXPECT_GE(plan.rules.take * plan.grain, 1000U);
}

}  // namespace
