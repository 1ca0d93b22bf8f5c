// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weighted plans, drawn by workers in random orders through reference implementations of Claim::weighted.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>

#include "plan_checks.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

struct Draw {
    std::uint32_t worker;
    std::uint64_t first, end;
};

enum class BatchEnd { crossed, respected };

/// Lets `next_worker` draw until nothing is left. A request takes its worker's share of the batch in which the position
/// lies; whether a chunk may cross the end of its batch is the dispatcher's choice.
template <class NextWorker>
std::vector<Draw> drain(const Plan& plan, BatchEnd batch_end, NextWorker next_worker) {
    std::vector<Draw> draws;
    std::uint64_t position = 0;
    while (position < plan.iterations) {
        const std::uint32_t worker = next_worker();
        const auto after = std::upper_bound(plan.starts.begin(), plan.starts.end(), position);
        const auto batch = static_cast<std::uint64_t>(after - plan.starts.begin()) - 1;
        const std::uint64_t limit = batch_end == BatchEnd::respected ? *after : plan.iterations;
        const std::uint64_t take = std::min(plan.shares.at(batch * plan.workers + worker), limit - position);
        if (take == 0) throw std::runtime_error("a share of nothing");
        draws.push_back({worker, position, position + take});
        position += take;
    }
    return draws;
}

Sizes sizes_in_turn(const Plan& plan) {
    std::uint32_t turn = 0;
    Sizes sizes;
    for (const Draw& draw : drain(plan, BatchEnd::respected, [&] { return turn++ % plan.workers; })) {
        sizes.push_back(draw.end - draw.first);
    }
    return sizes;
}

std::vector<double> random_weights(std::size_t workers, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(0.01, 1.0);
    std::vector<double> weights(workers);
    for (double& weight : weights) weight = uniform(random);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight *= static_cast<double>(workers) / sum;
    return weights;
}

TEST(Wf2, WithEqualWeightsGivesTheSequenceOfFac2) {
    for (const std::uint64_t n :
         {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{1000003}, std::uint64_t{1} << 48}) {
        for (const std::uint32_t workers : {1u, 2u, 3u, 8u, 40u}) {
            for (const std::uint64_t chunk : {0u, 7u}) {
                LoopShape shape{.iterations = n, .workers = workers, .chunk = chunk};
                const Sizes fac2 = sizes_of("fac2", shape);
                EXPECT_EQ(sizes_in_turn(technique_named("wf2").plan(shape)), fac2) << describe(shape);
                const std::vector<double> ones(workers, 1.0);
                shape.weights = ones;
                EXPECT_EQ(sizes_in_turn(technique_named("wf2").plan(shape)), fac2) << describe(shape);
            }
        }
    }
}

TEST(Wf2, LoopsSoLongThatItsCounterCouldWrapGetFac2) {
    const std::vector<double> weights{2, 1, 0.5, 0.5};
    const LoopShape shape{.iterations = ~std::uint64_t{0}, .workers = 4, .weights = weights};
    EXPECT_TRUE(same_plan(technique_named("wf2").plan(shape), technique_named("fac2").plan(shape)));
    EXPECT_TRUE(same_plan(technique_named("awf-b").plan(shape), technique_named("fac2").plan(shape)));
    EXPECT_TRUE(same_plan(technique_named("af").plan(shape), technique_named("fac2").plan(shape)));
}

TEST(Wf2, GivesEachWorkerItsWeightTimesTheChunkOfFac2) {
    // FAC2's chunk for N = 1000, P = 4 is 125, 63, 31, ... ; weights 2, 1, 0.5, 0.5
    const std::vector<double> weights{2, 1, 0.5, 0.5};
    const Plan plan = technique_named("wf2").plan({.iterations = 1000, .workers = 4, .weights = weights});
    ASSERT_GE(plan.steps, 2u);
    EXPECT_EQ(plan.claim, Claim::weighted);
    EXPECT_EQ(Sizes(plan.starts.begin(), plan.starts.begin() + 3), (Sizes{0, 500, 752}));
    // Cumulatively 250, 375, 437.5 (up), 500; then 126, 189, 220.5 (up), 252.
    EXPECT_EQ(Sizes(plan.shares.begin(), plan.shares.begin() + 8), (Sizes{250, 125, 63, 62, 126, 63, 32, 31}));
}

TEST(Wf2, SharesOfABatchSumToTheBatchAndKeepTheMinimum) {
    std::mt19937_64 random(7);
    for (const std::uint64_t n :
         {std::uint64_t{3}, std::uint64_t{1000}, std::uint64_t{1} << 40, std::uint64_t{1} << 48}) {
        for (const std::uint32_t workers : {1u, 2u, 7u, 40u, 200u}) {
            for (const std::uint64_t chunk : {std::uint64_t{0}, std::uint64_t{7}, n}) {
                const std::vector<double> weights = random_weights(workers, random);
                const LoopShape shape{.iterations = n, .workers = workers, .chunk = chunk, .weights = weights};
                const Plan plan = technique_named("wf2").plan(shape);
                ASSERT_EQ(plan.shares.size(), plan.steps * workers);
                for (std::uint64_t batch = 0; batch < plan.steps; ++batch) {
                    const auto begin = plan.shares.begin() + static_cast<std::ptrdiff_t>(batch * workers);
                    const std::uint64_t length = plan.starts[batch + 1] - plan.starts[batch];
                    const bool last = batch + 1 == plan.steps;  // may be cut at N
                    const std::uint64_t least = std::min(std::max<std::uint64_t>(chunk, 1), n - plan.starts[batch]);
                    ASSERT_GE(*std::min_element(begin, begin + workers), least) << describe(shape);
                    if (last) continue;
                    ASSERT_EQ(std::accumulate(begin, begin + workers, std::uint64_t{0}), length) << describe(shape);
                }
            }
        }
    }
}

TEST(Wf2, SharesAreWithinOneOfTheirExactValue) {
    std::mt19937_64 random(11);
    const std::vector<double> weights = random_weights(8, random);
    const Plan plan = technique_named("wf2").plan({.iterations = 1000000, .workers = 8, .weights = weights});
    const double chunk = static_cast<double>(plan.starts[1]) / 8;
    for (std::size_t worker = 0; worker < 8; ++worker) {
        EXPECT_NEAR(static_cast<double>(plan.shares[worker]), weights[worker] * chunk, 1.0);
    }
}

TEST(Wf2, PartitionsExactlyOnceInWhateverOrderWorkersCome) {
    std::mt19937_64 random(42);
    for (const std::uint64_t n : {0u, 1u, 2u, 3u, 7u, 100u, 1000u, 1000003u}) {
        for (const std::uint32_t workers : {1u, 2u, 3u, 7u, 8u, 40u, 200u}) {
            for (const std::uint64_t chunk : {0u, 7u, 5000u}) {
                const std::vector<double> weights = random_weights(workers, random);
                const LoopShape shape{.iterations = n, .workers = workers, .chunk = chunk, .weights = weights};
                const Plan plan = technique_named("wf2").plan(shape);
                for (const BatchEnd batch_end : {BatchEnd::crossed, BatchEnd::respected}) {
                    const auto draws =
                        drain(plan, batch_end, [&] { return static_cast<std::uint32_t>(random() % workers); });
                    std::uint64_t covered = 0;
                    for (const Draw& draw : draws) {
                        ASSERT_EQ(draw.first, covered);
                        ASSERT_GT(draw.end, draw.first);
                        covered = draw.end;
                    }
                    ASSERT_EQ(covered, n) << describe(shape);
                }
            }
        }
    }
}

TEST(Wf2, IsServedByOneWorkerAloneInBoundedSteps) {
    const std::vector<double> weights{3.999999, 1e-6, 0, 0};
    const Plan plan = technique_named("wf2").plan({.iterations = 1000000, .workers = 4, .weights = weights});
    for (std::uint32_t worker = 0; worker < 4; ++worker) {
        const auto draws = drain(plan, BatchEnd::crossed, [&] { return worker; });
        EXPECT_EQ(draws.back().end, 1000000u);
    }
}

TEST(Wf2, TakesWeightsThatMakeNoSenseAsEqual) {
    const LoopShape plain{.iterations = 12345, .workers = 3};
    const Plan equal = technique_named("wf2").plan(plain);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<double>> senseless = {
        {1, 2}, {1, 1, 1, 1}, {0, 0, 0}, {1, -1, 1}, {1, kInfinity, 1}, {1, std::nan(""), 1}, {1e308, 1e308, 1e308}};
    for (const std::vector<double>& weights : senseless) {
        LoopShape shape = plain;
        shape.weights = weights;
        EXPECT_TRUE(same_plan(technique_named("wf2").plan(shape), equal)) << weights.size() << " " << weights[1];
    }
}

TEST(Wf2, NeedsWeightsThatSumToPOnlyUpToAFactor) {
    const std::vector<double> weights{2, 1, 0.5, 0.5}, percent{50, 25, 12.5, 12.5};
    EXPECT_TRUE(same_plan(technique_named("wf2").plan({.iterations = 1000, .workers = 4, .weights = weights}),
                          technique_named("wf2").plan({.iterations = 1000, .workers = 4, .weights = percent})));
}

}  // namespace
