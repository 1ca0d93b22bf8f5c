// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/efficiency.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "report/run_record.hpp"
#include "report/summary.hpp"

namespace gimbal {
namespace {

/// A rank that is in MPI for so long, and waits for a part of it; the rest is one loop of two threads.
RunRecord rank_record(int rank, double mpi_s, double waiting_s, double busy_mean_s, double loop_s) {
    RunRecord record;
    record.rank = rank;
    record.ranks = 2;
    record.wall_s = 11;
    record.waiting = WaitingRecord{.window_s = 10, .mpi_s = mpi_s, .waiting_s = waiting_s, .calls = 100, .paths = {}};
    record.waiting->paths.push_back({.call = "MPI_Allreduce",
                                     .name = "step.c:7 main",
                                     .module = {},
                                     .calls = 100,
                                     .time_s = mpi_s,
                                     .waiting_s = waiting_s,
                                     .exact_calls = 100,
                                     .seen_calls = 100,
                                     .last_calls = rank == 1 ? 90U : 10U,
                                     .last_rank = 1,
                                     .by_that_rank = 90});
    LoopSummary loop;
    loop.name = "step.c:3 main";
    loop.workers = 2;
    loop.calls = 100;
    loop.time_s = loop_s;
    loop.busy_mean_s = busy_mean_s;
    loop.busy_max_s = loop_s;
    loop.scheduling_s = 0.1;
    loop.late_s = 0.1;
    loop.opening_s = 0.1;
    record.loops.push_back(loop);
    return record;
}

/// Rank 0 computes for 6 s, 5 of them in the loop; rank 1 for 9 s, 8 of them in the loop.
std::vector<RunRecord> sample() {
    return {rank_record(0, 4, 3, 4, 4.9), rank_record(1, 1, 0.5, 7, 7.9)};
}

double lost_s(const Efficiency& parts) {
    return parts.ranks_balance_s + parts.serialisation_s + parts.transfer_s + parts.threads_balance_s +
           parts.scheduling_s + parts.serial_s;
}

TEST(Efficiency, CoresThatWereLentAndUsedAreNotLost) {
    auto records = sample();
    const auto before = efficiency(records);
    records[1].loops[0].borrowed_s = 2;
    const auto after = efficiency(records);
    ASSERT_TRUE(before && after);
    EXPECT_NEAR(after->useful_s, before->useful_s + 2, 1e-9);
    EXPECT_NEAR(after->ranks_balance_s, before->ranks_balance_s - 2, 1e-9);
    EXPECT_NEAR(after->useful_s + lost_s(*after), 40, 1e-9);
    EXPECT_NEAR(after->parallel(), after->mpi() * after->openmp(), 1e-9);
    // More than there was to lose.
    records[1].loops[0].borrowed_s = 1000;
    const auto all = efficiency(records);
    EXPECT_NEAR(all->ranks_balance_s, 0, 1e-9);
    EXPECT_NEAR(all->serialisation_s, 0, 1e-9);
    EXPECT_NEAR(all->useful_s + lost_s(*all), 40, 1e-9);
}

TEST(Efficiency, PartsAddUpToAllCoresForTheWholeTime) {
    const auto parts = efficiency(sample());
    ASSERT_TRUE(parts);
    EXPECT_DOUBLE_EQ(parts->all_s(), 40);
    EXPECT_NEAR(parts->useful_s + lost_s(*parts), 40, 1e-9);
}

TEST(Efficiency, FactorsMultiply) {
    const auto parts = efficiency(sample());
    ASSERT_TRUE(parts);
    EXPECT_NEAR(parts->parallel(), parts->mpi() * parts->openmp(), 1e-12);
    EXPECT_NEAR(parts->mpi(), parts->load_balance() * parts->serialisation() * parts->transfer(), 1e-12);
    EXPECT_NEAR(parts->openmp(), parts->threads_balance() * parts->scheduling() * parts->serial(), 1e-12);
}

TEST(Efficiency, IsAsPopAndTalpDefineIt) {
    const auto parts = efficiency(sample());
    ASSERT_TRUE(parts);
    EXPECT_NEAR(parts->load_balance(), 7.5 / 9, 1e-12);
    EXPECT_NEAR(parts->communication(), 9.0 / 10, 1e-12);
    EXPECT_NEAR(parts->serialisation(), 9 / 9.5, 1e-12);  // the longest rank without transfer: 9 + 0.5
    EXPECT_NEAR(parts->transfer(), 9.5 / 10, 1e-12);
    EXPECT_NEAR(parts->serial_s, 1 + 1, 1e-9);  // a second outside of the loop each, one thread idle
    EXPECT_NEAR(parts->threads_balance_s, 2 * 0.8 + 2 * 0.8, 1e-9);
    EXPECT_NEAR(parts->scheduling_s, 2 * 0.3 + 2 * 0.3, 1e-9);
}

TEST(Efficiency, LoopsThatCountTwiceLoseNoMoreThanThereIs) {
    auto records = sample();
    for (int i = 0; i < 5; ++i) records[0].loops.push_back(records[0].loops[0]);
    const auto parts = efficiency(records);
    ASSERT_TRUE(parts);
    EXPECT_NEAR(parts->useful_s + lost_s(*parts), 40, 1e-9);
    EXPECT_GE(parts->useful_s, 0);
    EXPECT_GE(parts->serial_s, 0);
}

/// Ranks that compute for 9.1 s: four threads in a loop for 9 s, of which each runs another one, in a team of its own.
std::vector<RunRecord> nested(double inner_s, double inner_passed_s) {
    std::vector<RunRecord> records = {rank_record(0, 0.9, 0.5, 8.9, 9), rank_record(1, 0.9, 0.5, 8.9, 9)};
    for (RunRecord& record : records) {
        LoopSummary& outer = record.loops[0];
        outer.workers = 4;
        outer.scheduling_s = outer.late_s = outer.opening_s = 0;
        LoopSummary inner = outer;
        inner.name = "step.c:5 inner";
        inner.workers = 1;
        inner.calls = 40'000;
        inner.time_s = inner.busy_mean_s = inner.busy_max_s = inner_s;
        inner.passed_s = inner_passed_s;
        record.loops.push_back(inner);
    }
    return records;
}

TEST(Efficiency, ALoopThatTeamsRunAtTheSameTimeLeavesNoCoreIdle) {
    auto records = nested(0, 0);
    for (RunRecord& record : records) record.loops.pop_back();
    const double outer = efficiency(records)->parallel();
    EXPECT_NEAR(outer, 0.89, 0.01);
    EXPECT_NEAR(efficiency(nested(35, 0))->parallel(), outer, 0.02) << "older records: more time than there was";
    EXPECT_NEAR(efficiency(nested(35, 8.9))->parallel(), outer, 0.02);
    EXPECT_NEAR(efficiency(nested(8, 2))->parallel(), outer, 0.02) << "a part of the time";
    EXPECT_LT(efficiency(nested(8, 8))->parallel(), 0.6) << "one after the other";
    const auto parts = efficiency(nested(8, 2));
    EXPECT_NEAR(parts->useful_s + lost_s(*parts), 80, 1e-9);
}

TEST(Efficiency, CallsThatWereLeftHaveNoWayInAndOut) {
    auto records = sample();
    for (RunRecord& record : records) {
        LoopSummary& loop = record.loops[0];
        loop.time_s = loop.busy_mean_s = loop.busy_max_s = 1e-3;
        loop.scheduling_s = loop.late_s = 0;
        loop.calls = 50'000;
        loop.untimed_calls = 49'900;
    }
    const auto parts = efficiency(records);
    ASSERT_TRUE(parts);
    EXPECT_NEAR(parts->scheduling_s, 2 * 0.1 + 2 * 0.1, 1e-9) << "what the timed calls took, of two threads";
    EXPECT_NEAR(parts->useful_s + lost_s(*parts), 40, 1e-9);
}

TEST(Efficiency, ALossOfOneThreadHasARow) {
    auto records = sample();
    for (RunRecord& record : records) {
        LoopSummary& loop = record.loops[0];
        loop.workers = 1;
        loop.busy_mean_s = loop.busy_max_s = loop.time_s;
        loop.scheduling_s = loop.late_s = 0;
    }
    const auto row = [&] {
        return merged_text(records, ReportLevel::summary).find("OpenMP parallel efficiency") != std::string::npos;
    };
    EXPECT_TRUE(row());
    for (RunRecord& record : records) record.loops[0].opening_s = 0;
    EXPECT_FALSE(row());
}

TEST(Efficiency, IsNotKnownWhereARankIsMissing) {
    auto records = sample();
    records[1].waiting.reset();
    EXPECT_FALSE(efficiency(records));
    EXPECT_FALSE(efficiency(std::vector{sample()[0]}));
}

TEST(Efficiency, PlacesOfAllRanksAddUpAndNameWhoIsLast) {
    const auto places = waiting_places(sample());
    ASSERT_EQ(places.size(), 1U);
    EXPECT_EQ(places[0].calls, 200U);
    EXPECT_DOUBLE_EQ(places[0].waiting_s, 3.5);
    EXPECT_EQ(places[0].last_rank, 1);
    EXPECT_EQ(places[0].by_that_rank, 180U);
}

TEST(Efficiency, OnlyAPlaceWithMostOfTheLossIsNamed) {
    auto records = sample();
    for (RunRecord& record : records) record.waiting->paths[0].waiting_s /= 2;  // the rest: the wait for MPI_Finalize
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_NE(text.find("NOTE ranks that wait for others lose 20.0 % of the cores' time. Try --elastic"),
              std::string::npos)
        << text;
}

TEST(Efficiency, SleepIsNotAdvisedWhereNobodySleeps) {
    auto records = sample();
    for (RunRecord& record : records) record.waiting->paths[0].call = "MPI_Win_fence";
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_NE(text.find("most at step.c:7 main (MPI_Win_fence).\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("--elastic"), std::string::npos) << text;
}

TEST(Efficiency, WithoutLoopsNothingIsSaidOfThemOrOfTheirThreads) {
    auto records = sample();
    for (RunRecord& record : records) record.loops.clear();
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_NE(text.find(" core s; counted with one thread per rank: no loop of threads ran under Gimbal, so further "
                        "threads are not known\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("NOTE ranks that wait for others lose"), std::string::npos) << text;
    EXPECT_EQ(text.find("--elastic"), std::string::npos) << text;
    EXPECT_EQ(text.find("rank balance"), std::string::npos) << text;
}

TEST(Efficiency, StandsInTheReportAndSurvivesTheFile) {
    std::vector<RunRecord> records;
    for (const RunRecord& record : sample()) records.push_back(from_json(to_json(record)));
    const std::string text = merged_text(records, ReportLevel::full);
    EXPECT_NE(text.find("between MPI_Init and MPI_Finalize: 2 ranks x 2 threads x 10.00 s = 40.00 core s\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("    load balance               0.833         6.00  15.0 %\n"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1 (90.0 %)"), std::string::npos) << text;
    EXPECT_NE(text.find("NOTE ranks that wait for others lose 20.0 % of the cores' time, most at step.c:7 main "
                        "(MPI_Allreduce). Try --elastic"),
              std::string::npos)
        << text;
    records[0].options.push_back({"GIMBAL_ELASTIC", "on", "environment"});
    records[0].warnings = {"GIMBAL_ELASTIC has no effect: the rank is alone on its node"};
    const std::string in_vain = merged_text(records, ReportLevel::summary);
    EXPECT_NE(in_vain.find("(MPI_Allreduce). --elastic has no effect here; a warning says why."), std::string::npos)
        << in_vain;
    EXPECT_NE(in_vain.find("the rank is alone on its node"), std::string::npos) << in_vain;
    records[0].warnings.clear();
    EXPECT_NE(merged_text(records, ReportLevel::summary).find("Nobody could use their cores"), std::string::npos);
    records[0].regions_with_numbers = 1;
    EXPECT_NE(merged_text(records, ReportLevel::summary).find("could not join 1 region that"), std::string::npos);
    records[0].regions_with_numbers = 0;
    records[0].loops.resize(1);
    records[0].loops[0].borrowed_s = 1;
    EXPECT_NE(merged_text(records, ReportLevel::summary).find("Their cores were lent"), std::string::npos);
}

}  // namespace
}  // namespace gimbal
