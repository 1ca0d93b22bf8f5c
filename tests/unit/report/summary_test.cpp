// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sample_record.hpp"

namespace gimbal {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t lines_with(const std::string& text, const std::string& beginning) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        if (text.compare(at, beginning.size(), beginning) == 0) ++count;
    return count;
}

TEST(Summary, SaysWhichStaticFractionRanAndWhetherItIsStillSearchedFor) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"usched", "GIMBAL_SCHEDULE", record.loops[0].calls}};
    record.loops[0].static_fraction = 0.874;
    record.loops[0].tuning = "settled";
    EXPECT_NE(summary_text(record, ReportLevel::summary).find("usched f_s=0.87 (GIMBAL_SCHEDULE)"), std::string::npos);
    record.loops[0].tuning = "search";
    EXPECT_NE(summary_text(record, ReportLevel::summary).find("usched f_s=0.87 in search ("), std::string::npos);
    record.loops[0].schedules[0].schedule = "lws,0.8:16";
    record.loops[0].tuning.clear();
    record.loops[0].static_fraction = 0.8;
    EXPECT_EQ(summary_text(record, ReportLevel::summary).find("f_s="), std::string::npos) << "it is in the schedule";
    record.loops[0].static_fraction = 0.5;
    EXPECT_NE(summary_text(record, ReportLevel::summary).find("lws,0.8:16 f_s=0.50"), std::string::npos) << "set later";
    record.loops[0].schedules[0].schedule = "usched,:16";
    EXPECT_NE(summary_text(record, ReportLevel::summary).find("usched,:16 f_s=0.50"), std::string::npos);
}

TEST(Summary, DoesNotGiveOneScheduleTheStaticFractionOfAnother) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"static", "auto", record.loops[0].calls - 1}, {"feedback", "auto", 1}};
    record.loops[0].static_fraction = 0.9;
    record.loops[0].tuning = "search";
    record.loops[0].tuned_schedule = "feedback";
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, Not(HasSubstr("f_s=")));
    EXPECT_THAT(text, Not(HasSubstr("in search")));
    record.loops[0].tuned_schedule = "static";
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("f_s=0.90 in search"));
}

TEST(Summary, SaysWhatRanWhyAndWhatItLost) {
    const std::string text = summary_text(sample_record(), ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("gimbal 0.1.0  job 81234  1 rank x 2 threads"));
    EXPECT_THAT(text, HasSubstr("sph.cpp:210 density"));
    EXPECT_THAT(text, HasSubstr("static (GIMBAL_SCHEDULE)"));
    EXPECT_THAT(text, HasSubstr("0.500"));
    EXPECT_THAT(text, HasSubstr("33.3 %"));
    EXPECT_THAT(text, HasSubstr("1.0 %"));
}

TEST(Summary, PartialRecordsAreSaidWithTheReasonAndHowFarTheyGo) {
    std::vector<RunRecord> records;
    for (int rank = 0; rank < 6; ++rank) {
        records.push_back(sample_record(rank, 6));
        records.back().wall_s = 10 + rank;
        records.back().partial = rank == 1 ? "" : rank == 4 ? "killed by SIGKILL" : "killed by SIGTERM";
    }
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_THAT(text,
                HasSubstr("\nWARN partial: rank 4: killed by SIGKILL; the figures are of the first 14.00 s; later "
                          "calls are missing.\n"));
    EXPECT_THAT(text,
                HasSubstr("\nWARN partial: ranks 0, 2-3, 5: killed by SIGTERM; the figures are of the first 10.00 "
                          "to 15.00 s; later calls are missing.\n"));
    RunRecord alone = sample_record();
    alone.partial = "killed by SIGTERM";
    EXPECT_THAT(summary_text(alone, ReportLevel::summary), HasSubstr("\nWARN partial: killed by SIGTERM; the figures"));
    EXPECT_THAT(summary_text(sample_record(), ReportLevel::summary), Not(HasSubstr("partial")));
}

TEST(Summary, LoopsInProgressAreSaidWithTheirRanksAndTimes) {
    std::vector<RunRecord> records;
    for (int rank = 0; rank < 3; ++rank) {
        records.push_back(sample_record(rank, 3));
        if (rank > 0)
            records.back().unfinished = {
                {.name = "a.c:7 f", .template_name = {}, .module = {}, .workers = 2, .time_s = 2.0 + rank}};
    }
    EXPECT_THAT(merged_text(records, ReportLevel::summary),
                HasSubstr("\nWARN unfinished: ranks 1-2: a.c:7 f had been running for 3.00 to 4.00 s when the record "
                          "was written; no figure includes that.\n"));
    RunRecord alone = sample_record();
    alone.loops.clear();
    alone.unfinished = {{.name = "a", .template_name = {}, .module = {}, .time_s = 1},
                        {.name = "b", .template_name = {}, .module = {}, .time_s = 2},
                        {.name = "c", .template_name = {}, .module = {}, .time_s = 3},
                        {.name = "d", .template_name = {}, .module = {}, .time_s = 4}};
    const std::string text = summary_text(alone, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("\nWARN unfinished: d had been running for 4.00 s when"));
    EXPECT_THAT(text, HasSubstr("\nWARN unfinished: 1 more loop, for less time.\n"));
    EXPECT_THAT(text, HasSubstr("no loop had ended by then"));
    EXPECT_THAT(text, Not(HasSubstr("no loop ran")));
}

// It is known up to its first loop, which had begun.
TEST(Summary, AProcessThatTellsOfItsBeginningIsNotSaidToHaveNoLoops) {
    RunRecord record = sample_record();
    record.loops.clear();
    record.openmp_use = OpenmpUse::runtime_loops;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("no loop ran under Gimbal: its loops"));
    record.partial = "killed";
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("no loop had ended by then"));
}

TEST(Summary, WhyNoLoopRanFollowsWhatTheProcessSawBeforeWhatItsFileLooksLike) {
    RunRecord record = sample_record();
    record.loops.clear();
    record.no_loop_hint = "of its file";
    const auto said = [&](OpenmpUse use) {
        record.openmp_use = use;
        return summary_text(record, ReportLevel::summary);
    };
    EXPECT_THAT(said(OpenmpUse::unknown), HasSubstr("no loop ran under Gimbal: of its file.\n"));
    EXPECT_THAT(said(OpenmpUse::nothing), HasSubstr("no loop ran under Gimbal: of its file.\n"));
    EXPECT_THAT(said(OpenmpUse::asked), HasSubstr("no parallel region and no loop ran"));
    EXPECT_THAT(said(OpenmpUse::regions), HasSubstr("only loops with schedule(static)"));
    EXPECT_THAT(said(OpenmpUse::dynamic_loops), HasSubstr("--loops '*=runtime' takes these, too"));
    EXPECT_THAT(said(OpenmpUse::runtime_loops), HasSubstr("had no iterations"));
    record.no_loop_hint.clear();
    EXPECT_THAT(said(OpenmpUse::nothing),
                HasSubstr("neither the program nor a module that it loaded asked the OpenMP runtime for anything; what "
                          "it started and left running is not known.\n"));
    RunRecord child = record;
    EXPECT_THAT(merged_text(std::vector{record, child}, ReportLevel::summary),
                HasSubstr("none of the 2 processes that left a record asked the OpenMP runtime for anything; "));
    child.openmp_use = OpenmpUse::regions;
    EXPECT_THAT(merged_text(std::vector{record, child}, ReportLevel::summary),
                HasSubstr("only loops with schedule(static)"));
}

TEST(Summary, ProcessesThatAreNoRanksOfOneJobHaveThreadsEach) {
    std::vector<RunRecord> records = {sample_record(0, 2), sample_record(1, 2)};
    for (RunRecord& record : records) record.alone = true;
    EXPECT_THAT(merged_text(records, ReportLevel::summary),
                HasSubstr("  2 processes, no ranks of one job, 2 threads each  wall "));
}

TEST(Summary, OffSaysNothing) {
    EXPECT_EQ(summary_text(sample_record(), ReportLevel::off), "");
}

TEST(Summary, NoteNamesSavingAndVariable) {
    EXPECT_THAT(summary_text(sample_record(), ReportLevel::summary),
                HasSubstr("NOTE sph.cpp:210 density: perfect balance would save 1.00 s (10.0 % of the run). Try "
                          "GIMBAL_SCHEDULE=runtime: Gimbal then measures and chooses."));
}

TEST(Summary, ProcessesSideBySideLoseAPartOfTheTimeOfAllOfThem) {
    std::vector<RunRecord> records(16, sample_record());
    for (RunRecord& record : records) record.started_s = 100;
    EXPECT_THAT(merged_text(records, ReportLevel::summary),
                HasSubstr("perfect balance would save 16.00 s (10.0 % of the time of its processes)."));
}

TEST(Summary, CallsAtTheSameTimeLoseThatTimeOnce) {
    RunRecord record = sample_record();
    record.wall_s = 1.5;  // of 3 s of loop time, a third of which is lost
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("perfect balance would save 0.500 s (33.3 % of the run)."));
    EXPECT_THAT(text, HasSubstr("\n  calls ran at the same time (several teams, or threads that did not wait for each "
                                "other): time_s adds them up, 2.0 times what passed\n"));
    record.wall_s = 3;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("at the same time")));
}

TEST(Summary, LoopsInsideEachOtherLoseNoMoreThanTheRun) {
    RunRecord record = sample_record();
    record.wall_s = 0.3;
    LoopSummary& loop = record.loops[0];
    loop.time_s = loop.busy_max_s = 0.3;
    loop.busy_mean_s = 0.2975;
    loop.scheduling_s = 0;
    record.loops.resize(4, loop);
    for (std::size_t i = 1; i < record.loops.size(); ++i) record.loops[i].name += std::to_string(i);
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("NOTE all loops together lose less than 1 %"));
}

TEST(Summary, WhyThreadsComeLateIsSaidOnce) {
    RunRecord record = sample_record();
    record.loops[0].late_s = 0.9;
    record.loops.push_back(record.loops[0]);
    record.loops[1].name = "other.cpp:1 f";
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("density: threads that come late to it cost 0.900 s (9.0 % of the run), as above.\n"));
    EXPECT_EQ(text.find("none makes them come"), text.rfind("none makes them come")) << text;
}

TEST(Summary, NoteNamesTheVariableThatDecided) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"gss", "OMP_SCHEDULE", 2}};
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Try OMP_SCHEDULE=runtime"));
}

TEST(Summary, OnlyWhatWasMeasuredIsAdvisedAndAChunkIsKept) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"fac2,64", "OMP_SCHEDULE", 2}};
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Try OMP_SCHEDULE=runtime,64: Gimbal then"));
    record.loops[0].alternative = {"gss", 0.5, 0.8, false, 9, 0.05};
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("Try OMP_SCHEDULE=gss: it took 20.0 % less time in 9 calls."));
    record.loops[0].alternative.ratio = 1.1;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Try OMP_SCHEDULE=runtime,64:"));
    record.loops[0].schedules = {{"fac2", "default", 2}};
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Try GIMBAL_SELECT=auto:"));
}

TEST(Summary, LateThreadsAndEntryHaveColumnsIfThereIsAnything) {
    RunRecord record = sample_record();
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("imbalance    lost  sched.ovh\n"));
    record.loops[0].busy_max_s = 2.5;
    record.loops[0].late_s = 0.6;
    const std::string late = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(late, HasSubstr("imbalance    late    lost  sched.ovh\n"));
    EXPECT_THAT(late, HasSubstr("0.250  20.0 %  13.3 %      1.0 %\n"));
    EXPECT_THAT(late, HasSubstr("NOTE sph.cpp:210 density: threads that come late to it cost 0.600 s (6.0 % of"));
    record.loops[0].opening_s = 1.5;
    record.loops[0].closing_s = 1.2;
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("entry and exit cost 2.70 s (27.0 % of the run), but its calls are not short (2850 ms): "
                          "threads lost their cores there"));
    record.loops[0].calls = 100'000;
    const std::string entry = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(entry, HasSubstr("imbalance    late    lost  sched.ovh  in/out\n"));
    EXPECT_THAT(entry,
                HasSubstr("NOTE sph.cpp:210 density: entry and exit cost 2.70 s (27.0 % of the run): its calls are "
                          "short. Try "))
        << "and not to leave it to OpenMP, which nobody has measured";
    record.loops[0].schedules.push_back(
        {.schedule = "static", .reason = "too short: left static", .calls = 1000, .timed = false});
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("its calls are short. This is of the calls before it was left to OpenMP."));
}

TEST(Summary, TheNoteThatNothingCanBeGainedLooksAtTheSumOfAllLoops) {
    RunRecord record = sample_record();
    LoopSummary loop = record.loops[0];
    loop.busy_mean_s = 2.97;
    loop.scheduling_s = 0;
    record.loops.clear();
    for (int i = 0; i < 3; ++i) {
        record.loops.push_back(loop);
        record.loops.back().name += std::to_string(i);
    }
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("NOTE all loops together lose less than 1 %"));
    record.loops[2].busy_mean_s = 2.94;
    record.loops[2].late_s = 0.01;
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("NOTE all loops together lose 0.120 s (1.2 % of the run): waiting 0.110 s, late threads "
                          "0.0100 s, drawing chunks 0.00 s, entry and exit 0.00 s."));
    record.loops.resize(1);
    record.loops[0].calls = 1'000'000;
    record.loops[0].iterations = 1'000'000'000;
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("around their 1000000 calls (forks, barriers) is not measured"));
    record.loops[0].untimed_calls = 900'000;
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("less than 1 % of the run in the 100000 calls that were timed; what"));
    record.loops[0].untimed_calls = 999'999;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("of the run in the 1 call that was timed; what"));
    record.loops[0].untimed_calls = 1'000'000;
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("NOTE all loops were left to OpenMP in every call and not timed; what OpenMP takes around"));
}

TEST(Summary, ALoopThatAReplayDoesNotKnowIsNotToldToNameASchedule) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"fac2", "not recorded", 2}};
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("10.0 % of the run). The replayed record does not have it: record it too, or leave out "
                          "GIMBAL_REPLAY.\n"));
}

TEST(Summary, FewIterationsAreThoseOfTheLongestCall) {
    RunRecord record = sample_record();
    record.loops[0].iterations = 6;
    record.loops[0].shortest = 1;
    record.loops[0].longest = 100;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("iterations per call")));
    record.loops[0].longest = 3;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("At most 3 iterations per call for 2 threads"));
}

TEST(Summary, WhatNoTechniqueCanBalanceIsSaid) {
    RunRecord record = sample_record();
    record.loops[0].iterations = 6;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Only 3.0 iterations per call for 2 threads"));
    record = sample_record();
    record.loops[0].schedules = {{"ss", "GIMBAL_SCHEDULE", 2}};
    record.loops[0].chunks = 2000;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Chunks are single iterations already"));
}

TEST(Summary, ExpensiveSchedulingIsNoted) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"ss", "GIMBAL_SCHEDULE", 2}};
    record.loops[0].scheduling_s = 2;
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("drawing chunks costs 2.00 s (20.0 % of the run). Try GIMBAL_SCHEDULE=runtime: "));
}

TEST(Summary, WhatStealsCostsAtLeastItsDraws) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"static-steal,1", "GIMBAL_SCHEDULE", 2}};
    record.loops[0].scheduling_s = 2;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("drawing chunks costs at least 2.00 s (20.0 %"));
}

TEST(Summary, WhereMostCallsWereHeldTheSelectorIsNotAdvisedAgain) {
    RunRecord record = sample_record();
    record.loops[0].schedules = {{"fac2", "auto", 2}, {"fac2", "held", 20}};
    record.loops[0].scheduling_s = 2;
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, Not(HasSubstr("Try GIMBAL_SCHEDULE=runtime")));
    EXPECT_THAT(text, HasSubstr("auto has found no faster schedule."));
}

TEST(Summary, UnequalRanksAreNotedThoughNoThreadTechniqueHelps) {
    RunRecord record = sample_record();
    record.loops[0].busy_mean_s = record.loops[0].busy_max_s;
    std::vector<RunRecord> ranks(2, record);
    ranks[0].ranks = ranks[1].ranks = 2;
    ranks[1].rank = 1;
    EXPECT_THAT(merged_text(ranks, ReportLevel::summary), Not(HasSubstr("the ranks differ")));
    ranks[1].loops[0].time_s *= 3;  // mean 2, largest 3: a third of the time is lost
    EXPECT_THAT(merged_text(ranks, ReportLevel::summary), HasSubstr("the ranks differ: those that wait lose 33.3 %"));
    // Processes that know nothing of each other wait for nobody.
    ranks[0].alone = ranks[1].alone = true;
    EXPECT_THAT(merged_text(ranks, ReportLevel::summary), Not(HasSubstr("the ranks differ")));
}

TEST(Summary, NoOtherTechniqueIsNamedWhileOneIsStillTuned) {
    RunRecord record = sample_record();
    record.loops[0].schedules[0].schedule = "usched";
    record.loops[0].tuning = "search";
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("usched was still in search of its static fraction: a longer run settles."));
    EXPECT_THAT(text, Not(HasSubstr("Try ")));
    record.loops[0].tuning = "settled";
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Try GIMBAL_SCHEDULE=runtime: "));
}

TEST(Summary, LoopsThatTheProgramSchedulesItselfAreSaidUnlessARuleTakesThem) {
    RunRecord record = sample_record();
    record.loops[0].busy_mean_s = 2.95;
    record.program_schedule = "static";
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("NOTE the program calls omp_set_schedule(static): its loops"));
    EXPECT_THAT(text, Not(HasSubstr("another technique cannot save more")));
    record.options.push_back({"GIMBAL_LOOPS", "*=runtime", "environment"});
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("omp_set_schedule")));
}

TEST(Summary, BalancedLoopsGetOneLineAndAtMostThreeAreNoted) {
    RunRecord record = sample_record();
    record.loops[0].busy_mean_s = 2.95;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("NOTE all loops together lose less than 1 %"));
    record = sample_record();
    for (int i = 0; i < 5; ++i) {
        record.loops.push_back(record.loops[0]);
        record.loops.back().name += std::to_string(i);
    }
    EXPECT_EQ(lines_with(summary_text(record, ReportLevel::summary), "NOTE "), 3U);
    // What is said of the whole run takes the place of a loop.
    record.program_schedule = "static";
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_EQ(lines_with(text, "NOTE "), 3U);
    EXPECT_THAT(text, HasSubstr("NOTE the program calls omp_set_schedule(static)"));
}

TEST(Summary, WhoGaveRulesThatTookNoLoopIsNotToldToGiveThem) {
    RunRecord record = sample_record();
    record.loops.clear();
    record.program_schedule = "dynamic,4";
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("--loops '*=runtime' hands them"));
    record.options.push_back({"GIMBAL_LOOPS", "sweep=fac2", "environment"});
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("omp_set_schedule(dynamic,4)"));
    EXPECT_THAT(text, HasSubstr("no loop ran that GIMBAL_LOOPS names"));
    EXPECT_THAT(text, Not(HasSubstr("--loops")));
}

TEST(Summary, WarningsAndFallbacksStandInTheReport) {
    RunRecord record = sample_record();
    record.warnings = {"counters off"};
    record.loops[0].fallbacks = 1;
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("WARN counters off\n"));
    EXPECT_THAT(text, HasSubstr("WARN 1 loop execution fell back"));
}

TEST(Summary, CoresAreSaidToBeUsedByOthersIfTheyWereLentOften) {
    RunRecord record = sample_record();
    record.cores_lent = static_cast<std::uint64_t>(5 * record.wall_s);
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("something else uses these cores")));
    record.cores_lent = static_cast<std::uint64_t>(20 * record.wall_s);
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("NOTE something else uses these cores: " + std::to_string(record.cores_lent) + " times"));
}

TEST(Summary, AWorkerThatIsSlowerAtTheSameWorkIsNamed) {
    RunRecord record = sample_record();
    record.loops[0].busy_mean_s = record.loops[0].busy_max_s;  // nothing else to say of it
    record.loops[0].slow = {.worker = 1, .rate = 0.61, .processor = 3};
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("density: thread 1 works at 61.0 % of the others' rate (by what the same iterations cost "
                          "others; on processor 3): its core is slower, or other programs use it. --pin moves"));
    record.placement = "{}";
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("other programs use it. The lines on placement say where --pin had it."));
    record.placement.clear();
    record.cores_lent = 214;
    record.loops[0].slow = {.worker = 1, .rate = 0.61, .by_instructions = true};
    EXPECT_THAT(
        summary_text(record, ReportLevel::summary),
        HasSubstr("(by instruction counts): its core is slower, or other programs use it. Cores were lent 214"));
    record.loops[0].busy_mean_s = 1e-3;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("others' rate")))
        << "its threads wait for something else";
    record.loops[0].busy_mean_s = record.loops[0].busy_max_s;
    record.loops[0].slow->rate = 0.95;  // costs 0.075 s of 10 s
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("others' rate")));
}

TEST(Summary, TheSlowestThreadOfAllRanksIsNamedWithItsRank) {
    std::vector<RunRecord> ranks = {sample_record(0, 2), sample_record(1, 2)};
    for (RunRecord& record : ranks) record.loops[0].busy_mean_s = record.loops[0].busy_max_s;
    ranks[0].loops[0].slow = {.worker = 0, .rate = 0.7};
    ranks[1].loops[0].slow = {.worker = 1, .rate = 0.5};
    EXPECT_THAT(merged_text(ranks, ReportLevel::summary), HasSubstr("thread 1 of rank 1 works at 50.0 %"));
}

TEST(Summary, ARankAloneSaysHowToSeeTheOthers) {
    EXPECT_THAT(summary_text(sample_record(0, 4), ReportLevel::summary), HasSubstr("gimbal run -n 4 -- program"));
    EXPECT_THAT(summary_text(sample_record(), ReportLevel::summary), Not(HasSubstr("gimbal run -n")));
}

TEST(Summary, MergedReportShowsMinimumMeanAndMaximum) {
    RunRecord records[] = {sample_record(1, 2), sample_record(0, 2)};
    records[0].loops[0].time_s = 5;
    const std::string text = merged_text(records, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("2 ranks x 2 threads"));
    EXPECT_THAT(text, HasSubstr("time_s min  mean   max"));
    EXPECT_THAT(text, HasSubstr("rank balance 0.800"));
    const RunRecord few[] = {sample_record(0, 3), sample_record(2, 3)};
    EXPECT_THAT(merged_text(few, ReportLevel::summary),
                HasSubstr("WARN only 2 of 3 ranks wrote a record: not rank 1."));
}

TEST(Summary, FullAddsSettingsAndEveryThread) {
    const std::string text = summary_text(sample_record(), ReportLevel::full);
    EXPECT_THAT(text, HasSubstr("setting: GIMBAL_SCHEDULE=static (environment)"));
    EXPECT_THAT(text, HasSubstr("threads of sph.cpp:210 density (team of 2)"));
    EXPECT_THAT(text, HasSubstr("1500"));
}

TEST(Summary, OfManyLoopsTheShortestAreCountedAndOnlyTheFullReportHasThem) {
    RunRecord record = sample_record();
    const LoopSummary loop = record.loops[0];
    record.loops.clear();
    for (int i = 0; i < 100; ++i) {
        record.loops.push_back(loop);
        record.loops.back().name = "many.c:" + std::to_string(i) + " f";
        record.loops.back().time_s = i < 30 ? 3 : 0.1;
    }
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_EQ(lines_with(text, "many.c:"), 30U);
    EXPECT_THAT(text, HasSubstr("and 70 more loops with 7.2 % of the time in loops; --report full shows all\n"));
    const std::string full = summary_text(record, ReportLevel::full);
    EXPECT_THAT(full, HasSubstr("\nmany.c:99 f"));
    EXPECT_THAT(full, Not(HasSubstr("more loops")));
}

TEST(Summary, NoLoopIsExplained) {
    RunRecord record = sample_record();
    record.loops.clear();
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("no loop ran under Gimbal"));
}

TEST(Summary, TextIsPlainAsciiWithoutBlanksAtLineEnds) {
    const std::string text = summary_text(sample_record(), ReportLevel::full);
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 127); }));
    EXPECT_THAT(text, Not(HasSubstr(" \n")));
}

}  // namespace
}  // namespace gimbal
