// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "virtual_loop.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

const AdaptiveTechnique& bold() {
    return *technique_named("bold").adaptive();
}

ChunkRequest request(const std::vector<WorkerTimes>& times, std::uint64_t remaining, IterationStatistics statistics) {
    return {.times = times, .iterations = 1000, .remaining = remaining, .statistics = statistics};
}

TEST(Bold, FollowsHagerupsFormula) {
    const std::vector<WorkerTimes> times(4);
    // By hand for R = 1000, P = 4, mu = sigma = 1, h = 0.5: a = 2, b = 16 ln 16 = 44.361, c1 = 0.72135, c2 = 1.80815;
    // Q = t = 250, ln Q = 5.52146, v = 0.84930, d = 3018.3; s = 2 * 7.4202 * (1 + 1/4) = 18.550;
    // w = ln(44.361 * 0.84930 * 5.52146) = 5.33767; 250 + 3.8503 + 9.2752 - sqrt(18.550 * 254.638) = 194.4.
    EXPECT_EQ(bold().size(request(times, 1000, {1, 1, 0.5, true})), 194U);
}

TEST(Bold, CountsWhatOthersHaveInProgress) {
    std::vector<WorkerTimes> times(2);
    ChunkRequest asked = request(times, 400, {1, 0.5, 0.1, true});
    const std::uint64_t alone = bold().size(asked);
    times[1].draw(200, 1000);
    asked.now = 1000;
    EXPECT_GT(bold().size(asked), alone + 50) << "half of the other's chunk is ours to make up for";
    asked.now = 1190;
    EXPECT_LT(bold().size(asked), alone + 10) << "it is nearly done";
    times[0].draw(200, 1000);
    asked.now = 5000;
    EXPECT_LE(bold().size(asked), alone) << "own figures and those of chunks that are done are no work";
}

TEST(Bold, StaysWithinBoundsWhateverTheStatistics) {
    const double odd[] = {0, 1e-300, 1e-9, 0.1, 0.353, 1, 1e3, 1e9, 1e300};
    for (const std::uint32_t workers : {1U, 2U, 64U}) {
        std::vector<WorkerTimes> times(workers);
        times.back().draw(std::uint64_t{1} << 47, 1);
        for (const double sd : odd) {
            for (const double overhead : odd) {
                for (const std::uint64_t remaining : {1U, 2U, 3U, 63U, 64U, 65U, 175U, 1000U}) {
                    const std::uint64_t size = bold().size(request(times, remaining, {1, sd, overhead, true}));
                    EXPECT_GE(size, 1U) << "P=" << workers << " sd=" << sd << " h=" << overhead << " R=" << remaining;
                    EXPECT_LE(size, remaining) << "P=" << workers << " sd=" << sd << " h=" << overhead;
                }
            }
        }
    }
    EXPECT_EQ(bold().size(request(std::vector<WorkerTimes>(2), 100, {})), 1U) << "no statistics";
}

TEST(Bold, WithoutDeviationItHandsOutEqualShares) {
    EXPECT_EQ(run_virtually("bold", constant_loop(1000), equal_team(8, 3)).chunks, 8U);
}

TEST(Bold, WithoutStatisticsItIsFac2) {
    const LoopShape shape{.iterations = 10000, .workers = 4};
    EXPECT_TRUE(same_plan(bold().plan(shape), technique_named("fac2").plan(shape)));
}

TEST(Bold, KeepsUpWithTheBestWhereIterationsAreIndependent) {
    for (const double overhead : {3.0, 30.0}) {
        for (const std::size_t workers : {2U, 8U, 64U}) {
            for (const std::uint64_t n : {1000U, 100000U}) {
                for (const VirtualLoop& loop : {constant_loop(n), exponential_loop(n, 42)}) {
                    const VirtualTeam team = equal_team(workers, overhead);
                    double best = std::numeric_limits<double>::infinity();
                    for (const char* const name : {"fac2", "gss", "af"})
                        best = std::min(best, ratio_to_ideal(name, loop, team));
                    EXPECT_LT(ratio_to_ideal("bold", loop, team), 1.1 * best)
                        << "h=" << overhead << " P=" << workers << " N=" << n;
                }
            }
        }
    }
}

}  // namespace
