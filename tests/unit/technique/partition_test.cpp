// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties that every technique must have, over the corners of (N, P, chunk, statistics, weights).
#include <algorithm>
#include <limits>

#include "plan_checks.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kIterations[] = {0,         1,         2,    3, 7, 100, 1000, 1000003, std::uint64_t{1} << 40,
                                         kHuge / 2, kHuge - 1, kHuge};
constexpr std::uint32_t kWorkers[] = {1, 2, 3, 7, 8, 40, 200};
constexpr IterationStatistics kStatistics[] = {
    {},
    {.mean = 1, .sd = 0, .overhead = 1, .known = true},
    {.mean = 2.5e-6, .sd = 1e-6, .overhead = 2e-8, .known = true},
    {.mean = 1, .sd = 30, .overhead = 0, .known = true},
};
std::vector<std::uint64_t> chunks_for(std::uint64_t n) {
    return {0, 1, 7, n, (1u << 31) - 1, kHuge};
}

class EveryTechnique : public testing::TestWithParam<const Technique*> {
protected:
    /// Calls check(shape) for every corner.
    template <class Check>
    static void for_every_shape(Check check) {
        for (const std::uint64_t n : kIterations) {
            for (const std::uint32_t workers : kWorkers) {
                for (const std::uint64_t chunk : chunks_for(n)) {
                    for (const IterationStatistics& statistics : kStatistics) {
                        if (statistics.known && !GetParam()->info().needs_statistics) continue;
                        check(LoopShape{.iterations = n, .workers = workers, .chunk = chunk, .statistics = statistics});
                    }
                }
            }
        }
    }
};

TEST_P(EveryTechnique, PartitionsTheLoopExactlyOnceInAllowedChunks) {
    for_every_shape([](const LoopShape& shape) {
        const Plan plan = GetParam()->plan(shape);
        ASSERT_EQ(flaw_of(plan, shape), "") << describe(shape);
    });
}

TEST_P(EveryTechnique, PlansTheSameAgain) {
    for_every_shape([](const LoopShape& shape) {
        if (shape.workers > 8) return;
        ASSERT_TRUE(same_plan(GetParam()->plan(shape), GetParam()->plan(shape))) << describe(shape);
    });
}

TEST_P(EveryTechnique, FirstFindsEveryStepFromTheFirstToTheEnd) {
    const LoopShape shape{.iterations = 1000003, .workers = 7, .chunk = 7};
    const Plan plan = GetParam()->plan(shape);
    if (plan.claim == Claim::queues && plan.starts.empty()) return;  // has grains instead of steps
    std::uint64_t covered = 0;
    for (std::uint64_t k = 0; k < plan.steps; ++k) {
        ASSERT_EQ(plan.first(k), covered);
        ASSERT_GT(plan.first(k + 1), plan.first(k));
        covered = plan.first(k + 1);
    }
    EXPECT_EQ(covered, shape.iterations);
}

TEST_P(EveryTechnique, TreatsNoWorkersAsOne) {
    const Plan plan = GetParam()->plan({.iterations = 1000, .workers = 0});
    EXPECT_TRUE(same_plan(plan, GetParam()->plan({.iterations = 1000, .workers = 1})));
}

TEST_P(EveryTechnique, SurvivesStatisticsThatMakeNoSense) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kValues[] = {0, -1, kNan, kInfinity, -kInfinity, 1e-308, 1e308, 1};
    for (const double mean : kValues) {
        for (const double sd : kValues) {
            for (const double overhead : kValues) {
                for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1000}, kHuge}) {
                    if (n == kHuge && sd > mean) continue;  // chunks of 1: covered by the test of the table's bound
                    const LoopShape shape{.iterations = n, .workers = 3, .statistics = {mean, sd, overhead, true}};
                    ASSERT_EQ(flaw_of(GetParam()->plan(shape), shape), "")
                        << describe(shape) << " mean=" << mean << " h=" << overhead;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Technique, EveryTechnique, testing::ValuesIn(planned_techniques()), [](const auto& technique) {
    std::string name(technique.param->info().name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(PlanTable, IsBoundedWhenAFormulaAsksForChunksOfOne) {
    const IterationStatistics wild{.mean = 1, .sd = 1e9, .overhead = 0, .known = true};
    for (const std::string_view name : {"fac", "tap"}) {
        for (const std::uint64_t n : {std::uint64_t{1} << 22, kHuge}) {
            const LoopShape shape{.iterations = n, .workers = 200, .statistics = wild};
            const Plan plan = technique_named(name).plan(shape);
            EXPECT_EQ(flaw_of(plan, shape), "") << name << " " << describe(shape);
            EXPECT_GT(plan.steps, 1u << 20) << "the bound was not reached: the test proves nothing";
            if (n < kHuge) {
                EXPECT_EQ(plan.starts[1u << 20], 1u << 20) << "chunks of one up to the bound";
            }
            const std::uint64_t rest = n - plan.starts[1u << 20];
            const std::uint64_t tail = plan.starts[(1u << 20) + 1] - plan.starts[1u << 20];
            EXPECT_GE(tail, rest / (1u << 19));
        }
    }
}

TEST(PlanTable, IsBoundedWithManyWorkers) {
    const LoopShape shape{.iterations = kHuge, .workers = 1u << 16};
    for (const std::string_view name : {"gss", "guided", "fac2", "tss", "tfss", "rnd", "pls"}) {
        EXPECT_EQ(flaw_of(technique_named(name).plan(shape), shape), "") << name;
    }
}

TEST(ConstantChunks, NeedNoTableWhateverTheSizeOfTheLoop) {
    const IterationStatistics known{.mean = 1, .sd = 1, .overhead = 1, .known = true};
    for (const std::string_view name : {"ss", "fsc", "mfsc", "golden"}) {
        for (const std::uint64_t n : kIterations) {
            const Plan plan = technique_named(name).plan({.iterations = n, .workers = 8, .statistics = known});
            EXPECT_TRUE(plan.starts.empty()) << name << " N=" << n;
            EXPECT_EQ(plan.claim, Claim::shared) << name;
        }
    }
    EXPECT_TRUE(technique_named("static").plan({.iterations = kHuge, .workers = 8, .chunk = 1}).starts.empty());
}

TEST(MinimumChunk, HoldsForEveryStepButTheLast) {
    for (const Technique* technique : planned_techniques()) {
        const LoopShape shape{.iterations = 12345, .workers = 4, .chunk = 50};
        const Plan plan = technique->plan(shape);
        if (plan.claim == Claim::weighted) continue;                       // weighted_test.cpp
        if (plan.claim == Claim::queues && plan.starts.empty()) continue;  // flaw_of() looks at the draws
        const Sizes sizes = sizes_of(plan);
        EXPECT_TRUE(std::all_of(sizes.begin(), sizes.end() - 1, [](std::uint64_t size) { return size >= 50; }))
            << technique->info().name;
    }
}

}  // namespace
