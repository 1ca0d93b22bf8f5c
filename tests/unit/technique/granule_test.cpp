// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that keep granules together. tests/unit/loop/granule_test.cpp draws from them.
#include "technique/granule.hpp"

#include "plan_checks.hpp"
#include "technique/plan_builder.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

TEST(Granule, IsTheLeastMultipleOfTheLoopsThatHoldsTheNamedChunk) {
    EXPECT_EQ(granule_of(1, 0), 1U);
    EXPECT_EQ(granule_of(1024, 0), 1024U);
    EXPECT_EQ(granule_of(1024, 8), 1024U);
    EXPECT_EQ(granule_of(1024, 1025), 2048U);
    EXPECT_EQ(granule_of(1, 64), 64U);
    EXPECT_EQ(granule_of(std::uint64_t{1} << 63U, (std::uint64_t{1} << 63U) + 1), UINT64_MAX) << "no such multiple";
}

TEST(Granule, OfOneLeavesEveryTechniqueAsItIs) {
    const LoopShape shape{.iterations = 1000, .workers = 4, .statistics = {100, 30, 10, true}};
    for (const Technique* technique : techniques())
        EXPECT_TRUE(same_plan(granular_plan(*technique, shape, 1), technique->plan(shape))) << technique->info().name;
}

TEST(Granule, OfSeveralIterationsIsOneToTheTechnique) {
    const auto sizes = [](std::string_view name, std::uint64_t n, std::uint64_t named, std::uint64_t granule) {
        return sizes_of(granular_plan(technique_named(name), {.iterations = n, .workers = 2, .chunk = named}, granule));
    };
    EXPECT_EQ(sizes("static", 70, 0, 8), (Sizes{40, 30}));
    EXPECT_EQ(sizes("static", 30, 8, 1), (Sizes{8, 8, 8, 6}));
    EXPECT_EQ(sizes("ss", 30, 0, 8), (Sizes{8, 8, 8, 6}));
    EXPECT_EQ(sizes("ss", 30, 3, 8), (Sizes{8, 8, 8, 6}));
    EXPECT_EQ(sizes("ss", 30, 9, 8), (Sizes{16, 14}));
    EXPECT_EQ(sizes("gss", 70, 0, 8), (Sizes{40, 16, 8, 6}));
    EXPECT_EQ(sizes("gss", 70, 8, 1), (Sizes{40, 16, 8, 6}));
    EXPECT_EQ(sizes("gss", 7, 0, 8), (Sizes{7})) << "shorter than one granule";
    EXPECT_EQ(sizes("gss", 0, 0, 8), (Sizes{}));
}

// Deviations add up as if iterations were independent, so these formulas must not see how the loop is counted.
TEST(Granule, DoesNotChangeWhatStatisticsAsk) {
    const LoopShape shape{.iterations = 1 << 20, .workers = 8, .statistics = {100, 200, 5000, true}};
    for (const std::string_view name : {"fsc", "fac", "tap"}) {
        const auto one = static_cast<double>(sizes_of(technique_named(name).plan(shape)).front());
        const auto sixteen = static_cast<double>(sizes_of(granular_plan(technique_named(name), shape, 16)).front());
        EXPECT_NEAR(one, sixteen, 16) << name;
    }
    const Plan bold = granular_plan(technique_named("bold"), shape, 16);
    EXPECT_EQ(bold.statistics.mean, 100) << "chunks that are sized later are sized in iterations";
    EXPECT_EQ(bold.statistics.sd, 200);
}

TEST(Granule, ThatIsLongerThanAnyLoopWrapsNothingRound) {
    for (const Technique* technique : techniques()) {
        for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1000}, UINT64_MAX / 2, UINT64_MAX}) {
            const Plan plan = granular_plan(*technique, {.iterations = n, .workers = 4, .chunk = 3}, UINT64_MAX / 2);
            EXPECT_EQ(plan.iterations, n);
            if (plan.claim == Claim::adaptive) continue;  // has no steps
            EXPECT_EQ(plan.first(0), 0U) << technique->info().name;
            EXPECT_EQ(plan.steps, n <= UINT64_MAX / 2 ? 1U : plan.steps) << technique->info().name;
        }
    }
}

// Counters that go by iterations must not come near 2^64, however few granules there are.
TEST(Granule, OfALongLoopIsNotDrawnByPosition) {
    for (const Technique* technique : techniques()) {
        const LoopShape shape{.iterations = UINT64_MAX / 2, .workers = 4, .statistics = {100, 30, 10, true}};
        const Plan plan = granular_plan(*technique, shape, std::uint64_t{1} << 50U);
        EXPECT_FALSE(plan.claim == Claim::adaptive || plan.claim == Claim::weighted) << technique->info().name;
    }
}

}  // namespace
