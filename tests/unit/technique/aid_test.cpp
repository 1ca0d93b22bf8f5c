// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "virtual_loop.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

const AdaptiveTechnique& aid() {
    return *technique_named("aid").adaptive();
}

ChunkRequest request(const std::vector<WorkerTimes>& times, std::uint32_t worker, std::uint64_t remaining) {
    return {.times = times, .worker = worker, .iterations = 12800, .remaining = remaining};
}

TEST(Aid, IsFoundByBothNames) {
    EXPECT_EQ(find_technique("aid-hybrid"), find_technique("aid"));
}

TEST(Aid, SamplesUntilAllAreMeasuredButNotForEver) {
    std::vector<WorkerTimes> times(2);
    for (int chunk = 0; chunk < 4; ++chunk) {
        EXPECT_EQ(aid().size(request(times, 0, 12000)), 100U) << "N / 64 P, chunk " << chunk;
        times[0].add(100, 100);
    }
    EXPECT_EQ(aid().size(request(times, 0, 12000)), 2360U) << "half of 0.8 N / 2 - 400: the other counts as the mean";
    EXPECT_EQ(aid().size(request(times, 1, 12000)), 100U) << "each worker gives a sample first";
}

TEST(Aid, SharesFourFifthsBySpeedAndTheRestInSmallChunks) {
    std::vector<WorkerTimes> times(2);
    times[0].add(100, 300);  // speed 1/3
    times[1].add(100, 100);  // speed 1
    EXPECT_EQ(aid().size(request(times, 0, 12600)), 1230U) << "half of 0.8 N / 4 - 100";
    EXPECT_EQ(aid().size(request(times, 1, 12600)), 3790U) << "half of 0.8 N * 3/4 - 100";
    EXPECT_EQ(aid().size(request(times, 1, 2600)), 100U) << "the last fifth is near: no more than what is before it";
    EXPECT_EQ(aid().size(request(times, 1, 2560)), 100U);
    EXPECT_EQ(aid().size(request(times, 1, 40)), 10U) << "at the end R / 2P";
    EXPECT_EQ(aid().size(request(times, 1, 1)), 1U);
}

TEST(Aid, BalancesBigAndLittleCores) {
    const VirtualTeam team{.speed = {3, 3, 1, 1, 1, 1}, .overhead = 3};
    const VirtualLoop loop = constant_loop(60000);
    const Outcome outcome = run_virtually("aid", loop, team);
    EXPECT_LT(outcome.makespan() * team.total_speed(), 1.005 * loop.work());
    for (std::size_t worker = 0; worker < team.speed.size(); ++worker) {
        const double due = 6000 * team.speed[worker];
        EXPECT_NEAR(static_cast<double>(outcome.iterations[worker]), due, 0.01 * due) << worker;
    }
    EXPECT_GT(outcome.largest, 60000U * 3 / 10 / 4) << "a big core's first half: 0.4 of its 0.3 N, less the samples";
}

TEST(Aid, DoesLittleHarmWhereCostsVaryAlongTheLoop) {
    for (const std::size_t workers : {2U, 8U, 64U}) {
        const VirtualTeam team = equal_team(workers, 3);
        EXPECT_LT(ratio_to_ideal("aid", rising_loop(100000), team), 1.05) << workers;
        EXPECT_LT(ratio_to_ideal("aid", falling_loop(100000), team), 1.05) << workers;
        EXPECT_LT(ratio_to_ideal("aid", half_empty_loop(100000), team), 1.05) << workers;
        EXPECT_LT(ratio_to_ideal("aid", half_full_loop(100000), team), 1.25) << workers;
    }
}

}  // namespace
