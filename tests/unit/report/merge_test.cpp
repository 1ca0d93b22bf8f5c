// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/merge.hpp"

#include <gtest/gtest.h>

#include "sample_record.hpp"

namespace gimbal {
namespace {

TEST(Merge, OneRecordKeepsItsFigures) {
    const RunRecord record = sample_record();
    const MergedRun run = merge(std::span(&record, 1));
    ASSERT_EQ(run.loops.size(), 1U);
    EXPECT_DOUBLE_EQ(run.loops[0].imbalance(), 0.5);             // 3 / 2 - 1
    EXPECT_DOUBLE_EQ(run.loops[0].lost(), 1 - 2.0 / 3);          // 1 - 2 / 3
    EXPECT_DOUBLE_EQ(run.loops[0].scheduling_overhead(), 0.01);  // 0.03 / 3
    EXPECT_DOUBLE_EQ(run.rank_balance, 1);
    EXPECT_EQ(run.threads, 2U);
}

TEST(Merge, TwoRanksByHand) {
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    LoopSummary& other = records[1].loops[0];
    other.time_s = 5;
    other.busy_max_s = 5;
    other.busy_mean_s = 4;
    other.schedules = {{"static", "GIMBAL_SCHEDULE", 1}, {"gss", "GIMBAL_SCHEDULE", 1}};
    const MergedRun run = merge(records);
    ASSERT_EQ(run.loops.size(), 1U);
    const MergedLoop& loop = run.loops[0];
    EXPECT_EQ(loop.ranks, 2U);
    EXPECT_EQ(loop.sum.calls, 4U);
    EXPECT_EQ(loop.sum.iterations, 4000U);
    EXPECT_DOUBLE_EQ(loop.time_s.min, 3);
    EXPECT_DOUBLE_EQ(loop.time_s.mean, 4);
    EXPECT_DOUBLE_EQ(loop.time_s.max, 5);
    EXPECT_DOUBLE_EQ(loop.imbalance(), 8.0 / 6 - 1);  // (3 + 5) / (2 + 4) - 1
    EXPECT_DOUBLE_EQ(run.rank_balance, 0.8);          // mean(3, 5) / 5
    ASSERT_EQ(loop.sum.schedules.size(), 2U);
    EXPECT_EQ(loop.sum.schedules[0].calls, 3U);
}

TEST(Merge, ARankThatNeverRanALoopCountsAsZero) {
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    records[1].loops.clear();
    const MergedRun run = merge(records);
    EXPECT_DOUBLE_EQ(run.loops[0].time_s.min, 0);
    EXPECT_DOUBLE_EQ(run.loops[0].time_s.mean, 1.5);
    EXPECT_DOUBLE_EQ(run.rank_balance, 0.5);
}

TEST(Merge, TeamSizesAreKeptApartAndLoopsAreSortedByTime) {
    RunRecord record = sample_record();
    record.loops.push_back(record.loops[0]);
    record.loops[1].workers = 4;
    record.loops[1].time_s = 7;
    const MergedRun run = merge(std::span(&record, 1));
    ASSERT_EQ(run.loops.size(), 2U);
    EXPECT_EQ(run.loops[0].sum.workers, 4U);
    EXPECT_EQ(run.threads, 4U);
}

TEST(Merge, ProcessesOfOneRankAddUpAndWarningsAppearOnce) {
    RunRecord records[] = {sample_record(), sample_record()};
    records[0].warnings = records[1].warnings = {"counters off"};
    records[0].cores_lent = records[1].cores_lent = 3;
    const MergedRun run = merge(records);
    EXPECT_EQ(run.ranks_seen, 1U);
    EXPECT_DOUBLE_EQ(run.wall_s.max, 20);
    EXPECT_DOUBLE_EQ(run.loops[0].time_s.max, 6);
    EXPECT_EQ(run.warnings.size(), 1U);
    EXPECT_EQ(run.cores_lent, 6U);
}

TEST(Merge, NothingMeasuredIsNoDivisionByZero) {
    RunRecord record = sample_record();
    record.loops[0] = {};
    const MergedRun run = merge(std::span(&record, 1));
    EXPECT_EQ(run.loops[0].imbalance(), 0);
    EXPECT_EQ(run.loops[0].lost(), 0);
    EXPECT_EQ(run.loops[0].scheduling_overhead(), 0);
    EXPECT_EQ(run.rank_balance, 1);
}

}  // namespace
}  // namespace gimbal
