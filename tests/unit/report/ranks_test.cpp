// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose workers are ranks: known by one record as a whole, or with stealing by every record in part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/merge.hpp"
#include "report/run_record.hpp"
#include "report/summary.hpp"
#include "sample_record.hpp"

namespace gimbal {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The root's record of a loop over two ranks: 3 s and 1 s.
RunRecord root_record() {
    RunRecord record = sample_record(0, 2);
    record.loops[0].name = "forces";
    record.loops[0].over_ranks = true;
    record.loops[0].schedules[0].reason = "GIMBAL_MPI_SCHEDULE";
    return record;
}

RunRecord empty_record(int rank) {
    RunRecord record = sample_record(rank, 2);
    record.loops.clear();
    return record;
}

/// What a rank tells of stealing in three executions.
RunRecord stealing_record(int rank, double busy_s, std::uint64_t stolen, std::uint64_t given) {
    RunRecord record = empty_record(rank);
    LoopSummary& loop = record.loops.emplace_back();
    loop.name = "particles";
    loop.workers = 2;
    loop.over_ranks = true;
    loop.calls = 3;
    loop.time_s = 4;
    loop.busy_max_s = loop.busy_mean_s = busy_s;
    loop.steals = {.own = 5000 - given,
                   .stolen = stolen,
                   .given = given,
                   .attempts = 7,
                   .successes = stolen ? 5U : 0U,
                   .bytes_in = 1000 * stolen,
                   .bytes_out = 1000 * given,
                   .waiting_s = 4 - busy_s,
                   .ratio = 0.3};
    loop.iterations = loop.steals->own + stolen;
    loop.schedules = {{"stealing", "nearest", 3}};
    loop.per_worker = {{busy_s, loop.iterations, 0}};
    return record;
}

TEST(RanksInJson, ComeBackAsTheyWent) {
    RunRecord record = root_record();
    record.loops.push_back(stealing_record(0, 3, 0, 10).loops[0]);
    const std::string text = to_json(record);
    EXPECT_THAT(text, HasSubstr("\"level\": \"ranks\""));
    EXPECT_THAT(text, HasSubstr("\"attempts\": 7"));
    const RunRecord back = from_json(text);
    EXPECT_EQ(to_json(back), text);
    EXPECT_TRUE(back.loops[0].over_ranks);
    EXPECT_FALSE(back.loops[0].steals);
    ASSERT_TRUE(back.loops[1].steals);
    EXPECT_EQ(back.loops[1].steals->given, 10U);
    EXPECT_THAT(to_json(sample_record()), HasSubstr("\"level\": \"threads\""));
}

TEST(RanksInJson, RecordsOfBeforeThereWereRanksAreThreads) {
    std::string text = to_json(sample_record());
    const std::string key = "\"level\": \"threads\",";
    text.erase(text.find(key), key.size());
    EXPECT_FALSE(from_json(text).loops[0].over_ranks);
}

TEST(RanksMerged, OneRecordKnowsAllRanks) {
    const RunRecord records[] = {root_record(), empty_record(1)};
    const MergedRun run = merge(records);
    ASSERT_EQ(run.loops.size(), 1U);
    const MergedLoop& loop = run.loops[0];
    EXPECT_EQ(run.threads, 0U) << "no team of threads";
    EXPECT_TRUE(loop.knows_all_workers());
    EXPECT_DOUBLE_EQ(loop.imbalance(), 0.5);
    EXPECT_DOUBLE_EQ(run.rank_balance, 2.0 / 3);
}

/// Rank 0 works from 0 s to 10 s; rank 1 comes at 4 s and works to 7 s: late 0 and 4 s, waiting 0 and 3 s.
TEST(RanksMerged, TheTimeOfALoopOverRanksIsWhatItsLossesArePartsOf) {
    RunRecord records[] = {root_record(), empty_record(1)};
    LoopSummary& told = records[0].loops[0];
    told.calls = 1;
    told.time_s = 10;
    told.per_worker = {{.busy_s = 10, .iterations = 10, .chunks = 1}, {.busy_s = 3, .iterations = 3, .chunks = 1}};
    told.busy_max_s = 10;
    told.busy_mean_s = 6.5;
    told.late_s = 2;
    told.scheduling_s = 0;
    const MergedRun run = merge(records);
    const MergedLoop& loop = run.loops.at(0);
    for (const double time_s : {loop.time_s.min, loop.time_s.mean, loop.time_s.max}) EXPECT_DOUBLE_EQ(time_s, 10);
    EXPECT_DOUBLE_EQ(loop.late(), 0.2);
    EXPECT_DOUBLE_EQ(loop.lost(), 0.15);
    EXPECT_DOUBLE_EQ(loop.imbalance(), 10 / 6.5 - 1);
    EXPECT_DOUBLE_EQ(6.5 + (loop.late() + loop.lost()) * loop.time_s.mean, loop.time_s.mean);
    EXPECT_DOUBLE_EQ(merge({&records[0], 1}).loops.at(0).time_s.mean, 10) << "as one record's report says";
    EXPECT_DOUBLE_EQ(run.rank_balance, 0.65) << "by what each rank spent in the loop";
}

/// Four ranks of 10 s in two groups, each in the loop for 9 s, at the same time.
TEST(RanksMerged, WhatGroupsOfRanksDoAtTheSameTimeIsNotMoreThanTheRun) {
    std::vector<RunRecord> records;
    for (int rank = 0; rank < 4; ++rank) {
        records.push_back(rank % 2 == 0 ? root_record() : empty_record(rank));
        records.back().rank = rank;
        records.back().ranks = 4;
        for (LoopSummary& loop : records.back().loops) {
            loop.time_s = loop.busy_max_s = 9;
            loop.busy_mean_s = 6;
            loop.per_worker = {{.busy_s = 9, .iterations = 1500, .chunks = 2}, {3, 500, 2}};
        }
    }
    const MergedRun run = merge(records);
    ASSERT_EQ(run.loops.size(), 1U);
    EXPECT_DOUBLE_EQ(run.loops[0].overlap, 1.8);
    EXPECT_FALSE(run.ranks_known) << "worker 1 may be any rank of the job";
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("perfect balance would save 3.33 s (33.3 % of the run)"));
    EXPECT_THAT(text, HasSubstr("(groups of ranks, or ranks that did not wait for each other): time_s adds them up, "
                                "1.8 times what passed"));
    EXPECT_THAT(text, Not(HasSubstr("rank balance")));
    for (RunRecord& record : records) record.loops.push_back(sample_record().loops[0]);
    records[3].loops.back().time_s = 6;
    EXPECT_THAT(merged_text(records, ReportLevel::summary), Not(HasSubstr("the ranks differ")));
}

/// Four ranks, each in a loop of its own on MPI_COMM_SELF, the last for half as long.
TEST(RanksMerged, ALoopOfOneRankIsOfTheRankThatRanIt) {
    std::vector<RunRecord> records;
    for (int rank = 0; rank < 4; ++rank) {
        records.push_back(root_record());
        records.back().rank = rank;
        records.back().ranks = 4;
        for (LoopSummary& loop : records.back().loops) {
            loop.workers = 1;
            loop.time_s = loop.busy_max_s = loop.busy_mean_s = rank == 3 ? 1 : 2;
            loop.per_worker = {{.busy_s = loop.busy_max_s, .iterations = 2000, .chunks = 4}};
        }
    }
    const MergedRun run = merge(records);
    EXPECT_TRUE(run.ranks_known);
    EXPECT_DOUBLE_EQ(run.rank_balance, 0.875);
}

/// Four ranks of 3 s in a loop of threads, the last of 1.5 s; two groups of them in another for some milliseconds.
TEST(RanksMerged, AShortLoopOverGroupsOfRanksLeavesTheRankBalance) {
    std::vector<RunRecord> records;
    for (int rank = 0; rank < 4; ++rank) {
        records.push_back(sample_record(rank, 4));
        if (rank == 3) records.back().loops[0].time_s = 1.5;
        if (rank % 2 == 0) records.back().loops.push_back(root_record().loops[0]);
    }
    const auto last_for = [&records](double time_s) {
        for (const int rank : {0, 2}) records[static_cast<std::size_t>(rank)].loops.back().time_s = time_s;
        return merged_text(records, ReportLevel::summary);
    };
    EXPECT_THAT(last_for(0.029), HasSubstr("rank balance 0.875"));
    EXPECT_THAT(last_for(0.029), HasSubstr("NOTE the ranks differ: those that wait lose 12.5 %"));
    EXPECT_THAT(last_for(0.031), Not(HasSubstr("rank balance"))) << "more than 1 % of a rank's time in loops";
}

TEST(RanksMerged, LevelsAreKeptApart) {
    RunRecord records[] = {root_record(), sample_record(1, 2)};
    records[1].loops[0].name = "forces";
    EXPECT_EQ(merge(records).loops.size(), 2U);
}

TEST(RanksMerged, StealsAreAddedUpAndCallsAreNot) {
    const RunRecord records[] = {stealing_record(0, 4, 0, 1000), stealing_record(1, 2, 1000, 0)};
    const MergedRun run = merge(records);
    ASSERT_EQ(run.loops.size(), 1U);
    const MergedLoop& loop = run.loops[0];
    EXPECT_EQ(loop.sum.calls, 3U);
    EXPECT_EQ(loop.sum.iterations, 10000U);
    EXPECT_DOUBLE_EQ(loop.sum.time_s, 4);
    EXPECT_FALSE(loop.knows_imbalance()) << "who was slow in which of the three calls is not told";
    EXPECT_DOUBLE_EQ(loop.lost(), 0.25);
    ASSERT_TRUE(loop.sum.steals);
    EXPECT_EQ(loop.sum.steals->stolen, 1000U);
    EXPECT_EQ(loop.sum.steals->attempts, 14U);
    EXPECT_EQ(loop.sum.steals->bytes_in, loop.sum.steals->bytes_out);
    EXPECT_DOUBLE_EQ(run.rank_balance, 0.75);
}

TEST(RanksMerged, OfOneCallTheImbalanceIsKnownWithStealsToo) {
    RunRecord records[] = {stealing_record(0, 4, 0, 1000), stealing_record(1, 2, 1000, 0)};
    for (RunRecord& record : records) record.loops[0].calls = 1;
    const MergedLoop loop = merge(records).loops[0];
    EXPECT_TRUE(loop.knows_imbalance());
    EXPECT_DOUBLE_EQ(loop.imbalance(), 4.0 / 3 - 1);
}

TEST(RanksInText, TheColumnOfWorkersIsThereIfItIsNeeded) {
    EXPECT_THAT(summary_text(sample_record(), ReportLevel::summary), Not(HasSubstr("workers")));
    RunRecord root = root_record();
    root.loops.push_back(sample_record().loops[0]);
    const RunRecord records[] = {root, sample_record(1, 2)};
    const std::string text = merged_text(records, ReportLevel::full);
    EXPECT_THAT(text, HasSubstr("loop                   workers  calls"));
    EXPECT_THAT(text, HasSubstr("forces                 2 ranks"));
    EXPECT_THAT(text, HasSubstr("sph.cpp:210 density  2 threads"));
    EXPECT_THAT(text,
                HasSubstr("ranks of forces (2 ranks)\n  rank  busy_s  iterations  chunks\n     0    3.00        1500"));
    EXPECT_THAT(text, HasSubstr("threads of sph.cpp:210 density (team of 2)"));
    EXPECT_THAT(text, HasSubstr("choices for forces (2 ranks)"));
}

TEST(RanksInText, NotesNameTheVariableOfRanks) {
    const RunRecord records[] = {root_record(), empty_record(1)};
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("2 ranks  wall")) << "no threads to speak of";
    EXPECT_THAT(text, HasSubstr("NOTE forces: perfect balance would save 1.00 s (10.0 % of the run). Try "
                                "GIMBAL_MPI_SCHEDULE=runtime: "));
    EXPECT_THAT(text, Not(HasSubstr("the ranks differ")));
    RunRecord few = root_record();
    few.loops[0].iterations = 6;
    EXPECT_THAT(summary_text(few, ReportLevel::summary), HasSubstr("Only 3.0 iterations per call for 2 ranks"));
}

TEST(RanksInText, RankZeroAloneKnowsLoopsOverRanksAsAWhole) {
    EXPECT_THAT(summary_text(root_record(), ReportLevel::summary), Not(HasSubstr("is shown")));
    EXPECT_THAT(summary_text(stealing_record(0, 4, 0, 9), ReportLevel::summary), HasSubstr("one rank of 2 is shown"));
}

TEST(RanksInText, StealingHasALineOfItsOwn) {
    const RunRecord records[] = {stealing_record(0, 4, 0, 1234), stealing_record(1, 2, 1234, 0)};
    const std::string text = merged_text(records, ReportLevel::full);
    EXPECT_THAT(text, HasSubstr("particles  2 ranks      3       10000  stealing (nearest)"));
    EXPECT_THAT(text, HasSubstr("4.00  4.00          -  25.0 %")) << "no imbalance that contradicts what is lost";
    EXPECT_THAT(text, HasSubstr("\n  stolen: 1234 of 10000 items in 5 of 14 attempts, 1.23 MB moved, ratio 0.3\n"));
    EXPECT_THAT(text, HasSubstr("GIMBAL_MPI_STEAL_RATIO=agent"));
    EXPECT_THAT(text, HasSubstr("ranks of particles (2 ranks)\n  rank  busy_s  waiting_s"));
    const std::string own = summary_text(stealing_record(0, 4, 0, 1234), ReportLevel::summary);
    EXPECT_THAT(own, HasSubstr("stolen: nothing in 7 attempts; 1234 items given to others\n"));
    EXPECT_THAT(own, HasSubstr("      -     -          -")) << "one rank alone knows no imbalance";
    EXPECT_THAT(own, Not(HasSubstr("NOTE")));
    RunRecord fair = stealing_record(1, 2, 10, 20);
    fair.loops[0].steals->ratio = 0;
    EXPECT_THAT(summary_text(fair, ReportLevel::summary), HasSubstr("10.0 kB received, 20.0 kB sent, fair shares"));
    fair.loops[0].steals->attempts = 0;
    EXPECT_THAT(summary_text(fair, ReportLevel::summary), HasSubstr("stolen: nothing; 20 items given to others\n"));
    fair.loops[0].steals->given = 0;
    EXPECT_THAT(summary_text(fair, ReportLevel::summary), HasSubstr("stolen: nothing; no rank tried\n"));
}

}  // namespace
}  // namespace gimbal
