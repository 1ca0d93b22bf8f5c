// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "measure/cost_profile.hpp"
#include "plan_checks.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

/// A profile with a load of its own for each of `bins` stretches of [0, N).
CostProfile profile_of(std::uint64_t n, const std::vector<double>& loads) {
    ChunkCosts costs;
    costs.prepare(n, loads.size());
    for (std::size_t k = 0; k < loads.size(); ++k) {
        costs.add({n * k / loads.size(), n * (k + 1) / loads.size()}, loads[k]);
    }
    CostProfile profile;
    const ChunkCosts* const seen[] = {&costs};
    profile.learn(seen);
    return profile;
}

std::vector<double> random_loads(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<double> loads(count);
    for (double& load : loads) load = std::exp(std::normal_distribution<double>(0, 1.5)(random));
    return loads;
}

Plan binlpt(const LoopShape& shape) {
    return technique_named("binlpt").plan(shape);
}

double load_of(const LoopShape& shape, std::uint64_t first, std::uint64_t end) {
    const auto n = static_cast<double>(shape.iterations);
    if (!shape.profile) return static_cast<double>(end - first);
    return shape.profile->before(static_cast<double>(end) / n) - shape.profile->before(static_cast<double>(first) / n);
}

/// Load of each worker's own queue.
std::vector<double> loads_of(const Plan& plan, const LoopShape& shape) {
    std::vector<double> loads;
    for (const Range& queue : plan.queues) {
        double load = 0;
        for (std::uint64_t grain = queue.first; grain < queue.end; ++grain) {
            const std::uint64_t step = plan.order[grain];
            load += load_of(shape, plan.first(step), plan.first(step + 1));
        }
        loads.push_back(load);
    }
    return loads;
}

TEST(Binlpt, PartitionsTheLoopExactlyOnceInAllowedChunks) {
    const CostProfile rough = profile_of(10000, random_loads(500, 1));
    for (const CostProfile* profile : {static_cast<const CostProfile*>(nullptr), &rough}) {
        for (const std::uint64_t n : {0ul, 1ul, 2ul, 7ul, 100ul, 1000003ul, 1ul << 48, ~0ul}) {
            for (const std::uint32_t workers : {1u, 2u, 3u, 16u, 200u}) {
                for (const std::uint64_t chunk : {0ul, 7ul, n / 1000 + 1, n, ~0ul}) {
                    if (chunk == 7 && n > 1u << 16) continue;  // TakesAsManyChunksAsTheLeastOneAllows
                    const LoopShape shape{.iterations = n, .workers = workers, .chunk = chunk, .profile = profile};
                    const Plan plan = binlpt(shape);
                    ASSERT_EQ(plan.claim, Claim::queues);
                    ASSERT_EQ(flaw_of(plan, shape), "") << describe(shape);
                }
            }
        }
    }
}

TEST(Binlpt, RunsEveryQueueInAscendingOrder) {
    const CostProfile profile = profile_of(100000, random_loads(1000, 2));
    const Plan plan = binlpt({.iterations = 100000, .workers = 16, .profile = &profile});
    for (const Range& queue : plan.queues) {
        ASSERT_GT(queue.size(), 1u);
        EXPECT_TRUE(std::is_sorted(plan.order.begin() + static_cast<std::ptrdiff_t>(queue.first),
                                   plan.order.begin() + static_cast<std::ptrdiff_t>(queue.end)));
    }
}

TEST(Binlpt, ClosesChunksAtEqualLoads) {
    const CostProfile profile = profile_of(100000, random_loads(1000, 3));
    const LoopShape shape{.iterations = 100000, .workers = 4, .profile = &profile};
    const Plan plan = binlpt(shape);
    EXPECT_LE(plan.steps, 64u);
    EXPECT_GE(plan.steps, 60u);
    const double share = profile.total() / 64;
    for (std::uint64_t k = 0; k + 1 < plan.steps; ++k) {
        EXPECT_GE(load_of(shape, plan.first(k), plan.first(k + 1)), share * (1 - 1e-9));
        EXPECT_LT(load_of(shape, plan.first(k), plan.first(k + 1) - 1), share * (1 + 1e-9));
    }
}

TEST(Binlpt, HoldsTheBoundOfLargestProcessingTimeFirst) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const CostProfile profile = profile_of(5000, random_loads(500, seed));
        for (const std::uint32_t workers : {2u, 7u, 40u}) {
            for (const std::uint64_t chunk : {0ul, 100ul}) {
                const LoopShape shape{.iterations = 5000, .workers = workers, .chunk = chunk, .profile = &profile};
                const Plan plan = binlpt(shape);
                double largest = 0;
                for (std::uint64_t k = 0; k < plan.steps; ++k) {
                    largest = std::max(largest, load_of(shape, plan.first(k), plan.first(k + 1)));
                }
                const std::vector<double> loads = loads_of(plan, shape);
                const double mean = profile.total() / workers;
                const double most = *std::max_element(loads.begin(), loads.end());
                EXPECT_LE(most, mean + largest * (1 + 1e-9)) << describe(shape);
                if (chunk == 0) {
                    EXPECT_LE(most, mean * (1 + 1.0 / 8));
                }
            }
        }
    }
}

TEST(Binlpt, DealsOutEqualLoadsEvenly) {
    const CostProfile even = profile_of(1 << 20, std::vector<double>(1024, 5.0));
    for (const CostProfile* profile : {static_cast<const CostProfile*>(nullptr), &even}) {
        for (const std::uint32_t workers : {1u, 3u, 8u, 200u}) {
            const LoopShape shape{.iterations = 1 << 20, .workers = workers, .profile = profile};
            const Plan plan = binlpt(shape);
            for (const Range& queue : plan.queues) {
                EXPECT_GE(queue.size(), 15u);
                EXPECT_LE(queue.size(), 16u);
            }
        }
    }
}

TEST(Binlpt, LeavesWorkersEmptyHandedWhenThereAreFewIterations) {
    const Plan plan = binlpt({.iterations = 3, .workers = 8});
    EXPECT_EQ(plan.steps, 3u);
    EXPECT_EQ(std::count_if(plan.queues.begin(), plan.queues.end(), [](Range queue) { return queue.size() == 1; }), 3);
}

TEST(Binlpt, TakesAsManyChunksAsTheLeastOneAllows) {
    EXPECT_EQ(binlpt({.iterations = 1000, .workers = 2, .chunk = 10}).steps, 100u);
    EXPECT_LE(binlpt({.iterations = ~std::uint64_t{0}, .workers = 2, .chunk = 1}).steps, kMaxTable);
}

}  // namespace
