// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_record.hpp"

namespace gimbal {
namespace {

using testing::HasSubstr;
using testing::Not;

RunRecord run(double time_s, std::uint64_t calls = 2) {
    RunRecord one = sample_record();
    one.loops[0].time_s = time_s;
    one.loops[0].calls = calls;
    return one;
}

std::string compared(const std::vector<std::vector<RunRecord>>& runs) {
    return compared_text(runs);
}

TEST(Compare, EveryLoopHasTheRatioOfItsTimes) {
    const std::string text = compared({{run(3)}, {run(1.5)}});
    EXPECT_THAT(text, HasSubstr("A: job 81234, 1 rank, ./app input\nB: "));
    EXPECT_THAT(text, HasSubstr("time_s A  time_s B    B/A  imbalance A  imbalance B  technique (why) A"));
    EXPECT_THAT(text, HasSubstr("sph.cpp:210 density      3.00      1.50  0.500"));
    EXPECT_THAT(text, HasSubstr("wall                    10.00     10.00  1.000"));
    EXPECT_THAT(text, Not(HasSubstr("calls")));
}

TEST(Compare, WithDifferentCallsTheRatioIsOfTheTimePerCall) {
    const std::string text = compared({{run(3, 2)}, {run(3, 4)}});
    EXPECT_THAT(text, HasSubstr("calls A  calls B"));
    EXPECT_THAT(text, HasSubstr("3.00      3.00  0.500"));
    EXPECT_THAT(text, HasSubstr("Calls differ"));
}

TEST(Compare, CallsOfDifferentLengthsHaveNoRatio) {
    RunRecord one = run(3, 2), other = run(3, 4);
    one.loops[0].shortest = one.loops[0].longest = 1000;
    other.loops[0].shortest = other.loops[0].longest = 1000;
    EXPECT_THAT(compared({{one}, {other}}), HasSubstr("3.00      3.00  0.500"));
    other.loops[0].longest = 2000;
    EXPECT_THAT(compared({{one}, {other}}), HasSubstr("3.00      3.00      -"));
}

TEST(Compare, LoopsThatWereMostlyLeftHaveNoRatio) {
    RunRecord one = run(3, 10), other = run(1, 10);
    one.loops[0].untimed_calls = other.loops[0].untimed_calls = 5;
    EXPECT_THAT(compared({{one}, {other}}), HasSubstr("3.00      1.00  0.333")) << "half of it was timed";
    other.loops[0].untimed_calls = 6;
    const std::string text = compared({{one}, {other}});
    EXPECT_THAT(text, HasSubstr("3.00      1.00      -"));
    EXPECT_THAT(text,
                HasSubstr("\n5 of 10 calls of sph.cpp:210 density in A were left to OpenMP, untimed: time_s is of "
                          "the others; compare the wall time.\n6 of 10 calls of sph.cpp:210 density in B were"));
}

TEST(Compare, OfRanksTheSlowestCounts) {
    std::vector<RunRecord> two = {sample_record(0, 2), sample_record(1, 2)};
    two[1].loops[0].time_s = 6;
    const std::string text = compared({{run(3)}, two});
    EXPECT_THAT(text, HasSubstr("3.00      6.00  2.000"));
}

TEST(Compare, RanksMayCallALoopUnequallyOften) {
    std::vector<RunRecord> one = {sample_record(0, 2), sample_record(1, 2)}, other = one;
    other[1].loops[0].calls = 1;
    other[1].loops[0].time_s = 1.5;
    const std::string text = compared({one, other});
    EXPECT_THAT(text, HasSubstr("3.00      3.00  1.000"));
    EXPECT_THAT(text, Not(HasSubstr("Calls differ"))) << "those of the slowest rank do not";
    other[0].loops[0].untimed_calls = 1;
    EXPECT_THAT(compared({one, other}), HasSubstr("3.00      3.00  2.000")) << "half of its calls were timed";
}

TEST(Compare, ALoopThatRanInOneRunOnlyHasNoRatio) {
    std::vector<RunRecord> other = {run(3)};
    other[0].loops[0].name = "elsewhere";
    const std::string text = compared({{run(4)}, other});
    EXPECT_THAT(text, HasSubstr("sph.cpp:210 density      4.00         -      -"));
    EXPECT_THAT(text, HasSubstr("elsewhere                   -      3.00      -"));
    EXPECT_THAT(text, HasSubstr("all loops                4.00      3.00  0.750"));
    other[0].loops[0].untimed_calls = 1;
    EXPECT_THAT(compared({{run(4)}, other}), HasSubstr("all loops                4.00      3.00      -"))
        << "the time is of the other calls";
    other[0].loops.push_back(other[0].loops[0]);
    other[0].loops.back().name = "again";
    const std::string left = compared({{run(4)}, other});
    EXPECT_THAT(left, HasSubstr(" calls of again and 1 more loop in B were left to OpenMP, untimed: time_s is of "
                                "the others; compare the wall time.\n"));
    EXPECT_THAT(left, Not(HasSubstr("in A were left")));
}

TEST(Compare, TeamsOfDifferentSizesAreCompared) {
    std::vector<RunRecord> other = {run(1)};
    other[0].loops[0].workers = 8;
    EXPECT_THAT(compared({{run(4)}, other}), HasSubstr("2 threads  8 threads      4.00      1.00  0.250"));
    // In one run with several team sizes each is a loop of its own.
    std::vector<RunRecord> both = {run(4)};
    both[0].loops.push_back(other[0].loops[0]);
    const std::string text = compared({both, both});
    EXPECT_THAT(text, HasSubstr("4.00      4.00  1.000"));
    EXPECT_THAT(text, HasSubstr("1.00      1.00  1.000"));
}

TEST(Compare, MoreThanTwoRunsAreComparedWithTheFirst) {
    const std::string text = compared({{run(2)}, {run(1)}, {run(4)}});
    EXPECT_THAT(text, HasSubstr("  B/A    C/A"));
    EXPECT_THAT(text, HasSubstr("0.500  2.000"));
}

TEST(Compare, MissingRanksAreSaid) {
    EXPECT_THAT(compared({{run(2)}, {sample_record(0, 2)}}),
                HasSubstr("\nWARN B: only 1 of 2 ranks wrote a record: not rank 1.\n"));
}

TEST(Compare, KilledRunsAreSaid) {
    std::vector<RunRecord> killed = {sample_record(1, 2), sample_record(0, 2)};
    for (RunRecord& record : killed) record.partial = "killed by SIGTERM";
    killed[0].unfinished = {{.name = "a.c:7 f", .template_name = {}, .module = {}, .workers = 2, .time_s = 4}};
    RunRecord other = sample_record();
    other.loops.clear();
    other.openmp_use = OpenmpUse::dynamic_loops;
    const std::string text = compared({{run(2)}, killed, {other}});
    EXPECT_THAT(text,
                HasSubstr("\nWARN B: partial: ranks 0-1: killed by SIGTERM; the figures are of the first 10.00 s; "
                          "later calls are missing.\nWARN B: unfinished: rank 1: a.c:7 f had been running for 4.00 s "
                          "when the record was written; no figure includes that.\n"));
    EXPECT_THAT(text, HasSubstr("\nWARN C: no loop ran under Gimbal: its loops have schedule(dynamic) or "));
    EXPECT_THAT(text, Not(HasSubstr("WARN A")));
}

}  // namespace
}  // namespace gimbal
