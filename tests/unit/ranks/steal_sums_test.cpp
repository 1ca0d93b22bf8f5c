// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/steal_sums.hpp"

#include <gtest/gtest.h>

#include "gimbal/rank_loop.h"

namespace gimbal {
namespace {

TEST(StealSums, AreKeptByNameAndRanks) {
    restart_steals_in_child();
    EXPECT_FALSE(any_steals());
    gimbal_steal_record record{.own = 10,
                               .stolen = 3,
                               .given = 2,
                               .attempts = 5,
                               .successes = 1,
                               .bytes_in = 100,
                               .bytes_out = 200,
                               .busy_s = 2,
                               .waiting_s = 0.5,
                               .ratio = 0.25};
    gimbal_steal_report("particles", 4, GIMBAL_STEAL_SEED, &record);
    record.ratio = 0.5;
    gimbal_steal_report("particles", 4, GIMBAL_STEAL_SEED, &record);
    gimbal_steal_report("particles", 2, GIMBAL_STEAL_SEED, &record);
    const std::vector<LoopSummary> loops = steal_summaries();
    ASSERT_EQ(loops.size(), 2U);
    const LoopSummary& two = loops[0].workers == 4 ? loops[0] : loops[1];
    EXPECT_EQ(two.name, "particles");
    EXPECT_TRUE(two.over_ranks);
    EXPECT_EQ(two.workers, 4U);
    EXPECT_EQ(two.calls, 2U);
    EXPECT_EQ(two.iterations, 26U) << "what ran here, own or not";
    EXPECT_DOUBLE_EQ(two.time_s, 5);
    EXPECT_DOUBLE_EQ(two.busy_max_s, 4);
    ASSERT_TRUE(two.steals);
    EXPECT_EQ(two.steals->given, 4U);
    EXPECT_EQ(two.steals->attempts, 10U);
    EXPECT_EQ(two.steals->bytes_out, 400U);
    EXPECT_EQ(two.steals->ratio, 0.5) << "of the last execution";
    ASSERT_EQ(two.schedules.size(), 1U);
    EXPECT_EQ(two.schedules[0].reason, "seed");
    EXPECT_EQ(two.schedules[0].calls, 2U);
    restart_steals_in_child();
    EXPECT_FALSE(any_steals());
}

}  // namespace
}  // namespace gimbal
