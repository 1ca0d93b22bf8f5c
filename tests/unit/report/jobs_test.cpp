// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/merge.hpp"

#include <gtest/gtest.h>

#include "sample_record.hpp"

namespace gimbal {
namespace {

using Runs = std::vector<std::vector<std::size_t>>;

constexpr double kNoon_s = 1767268800;  // 2026-01-01 12:00:00 UTC

/// As MPICH's mpiexec starts a rank outside a batch system: the job is the process's own number.
RunRecord record(int rank, int ranks, int pid, double started_s, double wall_s = 10) {
    RunRecord one = sample_record(rank, ranks);
    one.pid = pid;
    one.job = std::to_string(pid);
    one.started_s = started_s > 0 ? kNoon_s + started_s : 0;
    one.wall_s = wall_s;
    return one;
}

RunRecord in_job(RunRecord one, const std::string& job, const std::string& launch = {}) {
    one.job = job;
    one.launch = launch;
    return one;
}

Runs runs(const std::vector<RunRecord>& records) {
    return sort_by_run(records).runs;
}

TEST(Jobs, RanksOfOneRunAreOneRun) {
    EXPECT_EQ(runs({record(1, 3, 101, 1.2), record(0, 3, 100, 1.1), record(2, 3, 102, 1.3)}), (Runs{{0, 1, 2}}));
}

TEST(Jobs, TwoRunsOfOneProcessAreTwo) {
    EXPECT_EQ(runs({record(0, 1, 100, 1), record(0, 1, 200, 5)}), (Runs{{0}, {1}}));
}

TEST(Jobs, TheSameFileTwiceCountsOnce) {
    const RunRecord one = record(0, 1, 100, 1);
    const SortedRecords sorted = sort_by_run(std::vector{one, one});
    EXPECT_EQ(sorted.runs, (Runs{{0}}));
    EXPECT_EQ(sorted.repeated, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}}));
}

TEST(Jobs, OfOneProcessTheRecordOfTheLongestTimeCounts) {
    const SortedRecords sorted = sort_by_run(std::vector{record(0, 1, 100, 1, 2), record(0, 1, 100, 1, 9)});
    EXPECT_EQ(sorted.runs, (Runs{{1}}));
    EXPECT_EQ(sorted.repeated, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}}));
}

TEST(Jobs, RunsOneAfterTheOtherInOneBatchJobAreTold) {
    std::vector<RunRecord> all;
    for (int run = 0; run < 3; ++run)
        for (int rank = 0; rank < 2; ++rank)
            all.push_back(in_job(record(rank, 2, 100 + 10 * run + rank, 20 * run + 0.1 * rank + 1), "81234"));
    EXPECT_EQ(runs(all), (Runs{{0, 1}, {2, 3}, {4, 5}}));
}

TEST(Jobs, ALostRankIsNotTakenFromTheNextRun) {
    // Rank 1 of the first run left no record; that of the second began first.
    EXPECT_EQ(runs({in_job(record(0, 2, 100, 1), "81234"), in_job(record(1, 2, 111, 20.0), "81234"),
                    in_job(record(0, 2, 110, 20.1), "81234")}),
              (Runs{{0}, {1, 2}}));
}

TEST(Jobs, ANumberThatComesAgainOnAnotherNodeOrDayIsAnotherProcess) {
    RunRecord other_node = record(0, 1, 100, 1);
    other_node.host = "node8";
    EXPECT_EQ(runs({record(0, 1, 100, 1), other_node, record(0, 1, 100, 86400)}), (Runs{{0}, {1}, {2}}));
}

TEST(Jobs, ElementsOfAnArrayAndJobsAtTheSameTimeAreTold) {
    EXPECT_EQ(runs({in_job(record(0, 2, 100, 1), "81234"), in_job(record(1, 2, 101, 1), "81235"),
                    in_job(record(1, 2, 102, 1), "81234"), in_job(record(0, 2, 103, 1), "81235")}),
              (Runs{{0, 2}, {1, 3}}));
}

TEST(Jobs, StartsThatTheLauncherNamesAreTold) {
    EXPECT_EQ(runs({in_job(record(0, 2, 100, 1), "81234", "0"), in_job(record(1, 2, 101, 1), "81234", "1"),
                    in_job(record(1, 2, 102, 1), "81234", "0"), in_job(record(0, 2, 103, 1), "81234", "1")}),
              (Runs{{0, 2}, {1, 3}}));
    // The parts of a coupled program are one run; without a name they cannot be told from two programs.
    RunRecord ocean = in_job(record(1, 2, 101, 1), "81234", "0");
    ocean.program = "./ocean";
    EXPECT_EQ(runs({in_job(record(0, 2, 100, 1), "81234", "0"), ocean}), (Runs{{0, 1}}));
    ocean.launch.clear();
    EXPECT_EQ(runs({in_job(record(0, 2, 100, 1), "81234"), ocean}), (Runs{{0}, {1}}));
}

TEST(Jobs, ProcessesOfARankOneAfterTheOtherAreOneRunWhereTheLauncherNamesIt) {
    EXPECT_EQ(
        runs({in_job(record(0, 1, 100, 1), "99", "gimbal-run-a"), in_job(record(0, 1, 101, 12), "99", "gimbal-run-a"),
              in_job(record(0, 1, 102, 23), "99", "gimbal-run-b")}),
        (Runs{{0, 1}, {2}}));
}

TEST(Jobs, RunsOnDifferentNumbersOfRanksAreTold) {
    EXPECT_EQ(runs({record(0, 2, 100, 1), record(1, 4, 101, 1), record(1, 2, 102, 1)}), (Runs{{0, 2}, {1}}));
}

TEST(Jobs, ChildrenOfForkBelongToTheirParents) {
    EXPECT_EQ(runs({record(0, 1, 100, 1), record(0, 1, 101, 1), record(0, 1, 102, 1.5)}), (Runs{{0, 1}, {2}}));
}

TEST(Jobs, OldRecordsWithoutTimesAreToldByTheirRanks) {
    EXPECT_EQ(runs({record(0, 2, 100, 0), record(1, 2, 101, 0), record(0, 2, 110, 0), record(1, 2, 111, 0)}),
              (Runs{{0, 1}, {2, 3}}));
    EXPECT_EQ(runs({record(0, 1, 100, 0), record(0, 1, 100, 0)}), (Runs{{0}}));
    EXPECT_EQ(runs({record(0, 1, 100, 0, 10), record(0, 1, 100, 0, 11)}), (Runs{{0}, {1}}));
}

TEST(Jobs, ARunStandsWhereItsFirstFileDoes) {
    EXPECT_EQ(runs({record(0, 1, 200, 50), record(0, 1, 100, 1)}), (Runs{{0}, {1}}));
}

TEST(Jobs, TheTitleNamesTheFirstStart) {
    EXPECT_EQ(run_title(std::vector{in_job(record(1, 2, 101, 3.4), "7"), in_job(record(0, 2, 100, 2.6), "7")}),
              "job 7, started 2026-01-01 12:00:02 UTC, 2 ranks, ./app input");
    EXPECT_EQ(run_title(std::vector{record(0, 1, 100, 0)}), "job 100, 1 rank, ./app input");
}

}  // namespace
}  // namespace gimbal
