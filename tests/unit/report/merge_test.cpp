// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/merge.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/choices.hpp"
#include "report/metrics.hpp"
#include "report/summary.hpp"
#include "report/table.hpp"
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

TEST(Merge, ExecutionsThatDoNotFitIntoTheirRanksLifeRanAtTheSameTime) {
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    EXPECT_EQ(merge(records).loops[0].overlap, 1);
    records[1].wall_s = 1;  // of 3 s in the loop
    EXPECT_DOUBLE_EQ(merge(records).loops[0].overlap, (3.0 + 3) / (3 + 1));
    RunRecord children[] = {sample_record(), sample_record()};  // of one rank, side by side: the lives of both count
    for (RunRecord& child : children) child.started_s = 100, child.wall_s = 3;
    EXPECT_EQ(merge(children).loops[0].overlap, 1);
}

TEST(Merge, PartsOfTheTimeAddUpOverRanks) {
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    for (RunRecord& record : records) {
        LoopSummary& loop = record.loops[0];
        loop.busy_mean_s = 1.5;
        loop.late_s = 0.25;
        loop.opening_s = 0.125;
        loop.closing_s = 0.0625;
    }
    const MergedLoop loop = merge(records).loops[0];
    const TimeParts parts = time_parts(loop.sum);
    EXPECT_DOUBLE_EQ(parts.late_s, 0.5);
    EXPECT_DOUBLE_EQ(parts.waiting_s, 2.5);
    EXPECT_DOUBLE_EQ(parts.work_s + parts.scheduling_s + parts.late_s + parts.waiting_s, loop.sum.time_s);
    EXPECT_DOUBLE_EQ(parts.entry_exit_s, 0.375);
    EXPECT_DOUBLE_EQ(loop.late(), 0.5 / 6);
    EXPECT_DOUBLE_EQ(loop.lost(), 2.5 / 6);
    EXPECT_DOUBLE_EQ(loop.entry_exit(), 0.375 / 6.375);
}

TEST(Merge, EntryAndExitAreNeverMoreThanAllOfALoop) {
    RunRecord record = sample_record();
    record.loops[0].time_s = 1e-6;
    record.loops[0].opening_s = 34e-6;
    EXPECT_NEAR(merge(std::span(&record, 1)).loops[0].entry_exit(), 34.0 / 35, 1e-9);
    record.loops[0].time_s = 0;
    EXPECT_DOUBLE_EQ(merge(std::span(&record, 1)).loops[0].entry_exit(), 1);
    record.loops[0].opening_s = 0;
    EXPECT_DOUBLE_EQ(merge(std::span(&record, 1)).loops[0].entry_exit(), 0);
}

TEST(Merge, LengthsAreKnownIfAllRanksKnowThem) {
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    records[0].loops[0].shortest = 10, records[0].loops[0].longest = 20;
    records[1].loops[0].shortest = 5, records[1].loops[0].longest = 8;
    LoopSummary sum = merge(records).loops[0].sum;
    EXPECT_EQ(sum.shortest, 5U);
    EXPECT_EQ(sum.longest, 20U);
    records[0].loops[0].shortest = records[0].loops[0].longest = 0;
    sum = merge(records).loops[0].sum;
    EXPECT_EQ(sum.shortest, 0U);
    EXPECT_EQ(sum.longest, 0U);
}

TEST(Merge, ARankThatNeverRanALoopCountsAsZero) {
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    records[1].loops.clear();
    const MergedRun run = merge(records);
    EXPECT_DOUBLE_EQ(run.loops[0].time_s.min, 0);
    EXPECT_DOUBLE_EQ(run.loops[0].time_s.mean, 1.5);
    EXPECT_DOUBLE_EQ(run.rank_balance, 0.5);
}

/// Two ranks with the same work, of which the first has left so many of 100 calls to libomp.
std::vector<RunRecord> ranks_with_left_calls(std::uint64_t left) {
    std::vector<RunRecord> records = {sample_record(0, 2), sample_record(1, 2)};
    for (RunRecord& record : records) record.loops[0].calls = 100;
    LoopSummary& loop = records[0].loops[0];
    for (double* const part : {&loop.time_s, &loop.busy_max_s, &loop.busy_mean_s, &loop.scheduling_s})
        *part *= static_cast<double>(100 - left) / 100;
    loop.untimed_calls = left;
    return records;
}

TEST(Merge, CallsThatOneRankLeftToLibompDoNotMakeItShort) {
    auto records = ranks_with_left_calls(40);
    EXPECT_NEAR(merge(records).rank_balance, 1, 1e-12);
    EXPECT_TRUE(merge(records).ranks_timed);
    records[1].loops[0].time_s *= 2;
    EXPECT_NEAR(merge(records).rank_balance, 0.75, 1e-12);
    EXPECT_NE(merged_text(records, ReportLevel::summary).find("the ranks differ"), std::string::npos);
}

TEST(Merge, RanksThatLeftMostCallsAreNotSaidToDiffer) {
    auto records = ranks_with_left_calls(99);
    records[1].loops[0].time_s *= 2;
    const MergedRun run = merge(records);
    EXPECT_FALSE(run.ranks_timed);
    EXPECT_FALSE(run.loops[0].ranks_timed);
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_EQ(text.find("the ranks differ"), std::string::npos) << text;
    EXPECT_NE(text.find(" much of it in calls that were left to OpenMP and not timed)\n"), std::string::npos) << text;
    EXPECT_EQ(times_over_ranks(run.loops[0]), (std::vector<std::string>{"-", seconds(run.loops[0].time_s.mean), "-"}));
    LoopSummary main = sample_record().loops[0];  // beside which the other one is nothing
    main.name = "main.c:1 f";
    main.time_s = main.busy_max_s = 600;
    for (RunRecord& record : records) record.loops.push_back(main);
    EXPECT_TRUE(merge(records).ranks_timed);
}

TEST(Merge, RanksWhoseOnlyLongLoopWasLeftUnseenAreNotSaidToDiffer) {
    auto records = ranks_with_left_calls(0);
    records[1].loops[0].time_s = 1;
    EXPECT_TRUE(merge(records).ranks_timed);
    records[1].loops.emplace_back();
    records[1].loops[1].name = "main.c:1 f";
    records[1].loops[1].workers = 2;
    add_untimed(records[1].loops[1], 1, 1000, 1);
    EXPECT_FALSE(merge(records).ranks_timed) << "it may have taken the other 9 s";
    records[1].wall_s = 1.5;
    EXPECT_TRUE(merge(records).ranks_timed);
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

TEST(Merge, ProcessesOfOneRankThatRunSideBySideLiveOnce) {
    RunRecord records[] = {sample_record(), sample_record(), sample_record(), sample_record()};
    const double started_s[] = {112, 100, 101, 130};
    const double wall_s[] = {1, 10, 12, 2};  // 100 to 113, with one inside of another, and 130 to 132
    for (std::size_t i = 0; i < std::size(records); ++i) {
        records[i].started_s = started_s[i];
        records[i].wall_s = wall_s[i];
    }
    EXPECT_DOUBLE_EQ(merge(records).wall_s.max, 15);
    EXPECT_DOUBLE_EQ(merge(records).lives_s, 25) << "what all of them can lose";
    records[2].loops.clear();
    EXPECT_DOUBLE_EQ(merge(records).lives_s, 15) << "one that only waited for the others loses nothing";
    records[3].started_s = 0;  // not known: it adds up
    EXPECT_DOUBLE_EQ(merge(records).wall_s.max, 15);
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

/// The root tells of the loop over ranks that a rule takes; the others have loops of threads only.
TEST(Merge, WhatOneRankSaysOfSettingsIsDroppedWhereAnotherWentByThem) {
    const std::string rule = "GIMBAL_LOOPS: rule 1, \"forces\"";
    const std::string setting = "GIMBAL_PORTFOLIO=ss gss had no effect: no loop ran under a selector that reads it";
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    records[1].warnings = {rule + ", matched no loop; the loops were a.c:1 f.", setting, "something else"};
    EXPECT_EQ(merge(records).warnings, (std::vector<std::string>{"something else"}));
    records[0].warnings = {rule + ", matched no loop; the loops were b.c:1 g.", setting};
    EXPECT_EQ(merge(records).warnings.size(), 4U) << "all ranks say so";
    records[0].warnings.clear();
    records[0].loops.clear();
    EXPECT_EQ(merge(records).warnings.size(), 3U) << "a rank without loops goes by nothing";
}

}  // namespace
}  // namespace gimbal
