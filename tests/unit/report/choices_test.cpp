// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/merge.hpp"
#include "report/run_record.hpp"
#include "report/summary.hpp"
#include "sample_record.hpp"

namespace gimbal {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 100 calls: 90 feedback at 10 ms, 4 exploring guided at 12 ms, 6 exploring static at 20 ms.
LoopSummary learnt_loop() {
    LoopSummary loop = sample_record().loops[0];
    loop.calls = 100;
    loop.schedules = {
        {"feedback", "auto", 90, 0.9, false}, {"guided", "auto", 4, 0.048, true}, {"static", "auto", 6, 0.12, true}};
    loop.time_s = 0.9 + 0.048 + 0.12;
    return loop;
}

RunRecord learnt_record(int rank = 0, int ranks = 1) {
    RunRecord record = sample_record(rank, ranks);
    record.options.clear();
    record.loops[0] = learnt_loop();
    record.loops[0].busy_max_s = record.loops[0].time_s;
    record.loops[0].busy_mean_s = record.loops[0].time_s - 1;
    complete_choices(record.loops[0], {});
    return record;
}

TEST(Choices, ExploringCostsWhatItTookLongerThanTheMainChoice) {
    LoopSummary loop = learnt_loop();
    complete_choices(loop, {});
    EXPECT_EQ(main_choice(loop)->schedule, "feedback");
    EXPECT_EQ(loop.exploring_calls, 10U);
    EXPECT_NEAR(loop.exploring_cost_s, 0.168 - 10 * 0.010, 1e-12);
}

TEST(Choices, WhatExploringCostOfSeveralRanksIsSaidToBeTheirSum) {
    EXPECT_THAT(summary_text(learnt_record(), ReportLevel::summary), HasSubstr(" cost 0.0680 s ("));
    const RunRecord two[] = {learnt_record(0, 2), learnt_record(1, 2)};
    EXPECT_THAT(merged_text(two, ReportLevel::summary), HasSubstr(" cost 0.136 s over all ranks ("));
    RunRecord groups[] = {learnt_record(0, 4), learnt_record(2, 4)};
    for (RunRecord& record : groups) record.loops[0].over_ranks = true;
    EXPECT_THAT(merged_text(groups, ReportLevel::summary), HasSubstr(" cost 0.136 s (")) << "one time for a group";
}

TEST(Choices, ExploringThatFoundSomethingBetterCostsNothing) {
    LoopSummary loop = learnt_loop();
    loop.schedules[1].time_s = loop.schedules[2].time_s = 0.001;
    complete_choices(loop, {});
    EXPECT_EQ(loop.exploring_cost_s, 0);
}

TEST(Choices, WhatRanOnCoresOfOtherRanksIsNoAlternative) {
    LoopSummary loop = learnt_loop();
    complete_choices(loop, {});
    EXPECT_EQ(loop.alternative.schedule, "guided");
    loop.schedules[1].reason = kLentCores;
    complete_choices(loop, {});
    EXPECT_EQ(loop.alternative.schedule, "static");
}

TEST(Choices, OneThreadExploresNothing) {
    LoopSummary loop = learnt_loop();
    loop.workers = 1;
    complete_choices(loop, {});
    EXPECT_EQ(loop.exploring_calls, 0U);
    EXPECT_EQ(loop.exploring_cost_s, 0);
}

TEST(Choices, SharesOfATeamOfOneAddUp) {
    LoopSummary loop = learnt_loop();
    loop.workers = 1;
    complete_choices(loop, {});
    EXPECT_THAT(choice_remark(loop), HasSubstr("feedback 90 % (auto), static 6 %, guided 4 %"));
}

TEST(Choices, TheRowAndTheLineBelowCountOneScheduleWhateverItsReasons) {
    LoopSummary loop = learnt_loop();
    loop.calls = 56;
    loop.schedules = {{"static-steal", "auto", 18, 0.18, false},
                      {"static", "auto", 14, 0.14, false},
                      {"static", "held", 7, 0.07, false},
                      {"gss", "auto", 17, 0.17, false}};
    complete_choices(loop, {});
    EXPECT_EQ(technique_cell(loop), "static (auto, 21 of 56 calls)");
    EXPECT_THAT(choice_remark(loop), HasSubstr("  static 38 % (auto), static-steal 32 %, gss 30 %"));
}

TEST(Choices, WithoutASettledExecutionThereIsNothingToCompareWith) {
    LoopSummary loop = learnt_loop();
    loop.schedules.erase(loop.schedules.begin());
    complete_choices(loop, {});
    EXPECT_EQ(loop.exploring_cost_s, 0);
    EXPECT_EQ(loop.exploring_calls, 10U);
    EXPECT_TRUE(loop.alternative.schedule.empty());
    loop.schedules.clear();
    complete_choices(loop, {});
    EXPECT_EQ(main_choice(loop), std::nullopt);
}

TEST(Choices, TheAlternativeIsThePredictedElseTheFastestThatRanThreeTimes) {
    LoopSummary loop = learnt_loop();
    complete_choices(loop, {});
    EXPECT_EQ(loop.alternative.schedule, "guided");
    EXPECT_FALSE(loop.alternative.predicted);
    EXPECT_NEAR(loop.alternative.ratio, 1.2, 1e-12);
    loop.schedules[1].calls = 2;
    complete_choices(loop, {});
    EXPECT_EQ(loop.alternative.schedule, "static") << "two calls say little";
    complete_choices(loop, {.schedule = "gss", .call_s = 0.0102, .predicted = true});
    EXPECT_EQ(loop.alternative.schedule, "gss");
    EXPECT_NEAR(loop.alternative.ratio, 1.02, 1e-12);
    complete_choices(loop, {.schedule = "feedback", .call_s = 0.0102, .predicted = true});
    EXPECT_EQ(loop.alternative.schedule, "static") << "no choice is its own alternative";
}

TEST(Choices, ExecutionsOfOneScheduleCountTogetherWhateverTheirReason) {
    LoopSummary loop = learnt_loop();
    loop.schedules = {
        {"gss", "auto", 40, 0.4, false}, {"fac2", "auto", 60, 0.6, true}, {"gss", "expert", 5, 0.05, false}};
    EXPECT_EQ(main_choice(loop)->schedule, "gss") << "exploring does not make a choice";
    EXPECT_EQ(main_choice(loop)->calls, 45U);
    EXPECT_EQ(main_choice(loop)->reason, "auto");
    EXPECT_NEAR(main_choice(loop)->call_s(), 0.01, 1e-12);
}

TEST(Choices, AnInterruptionDoesNotMakeAScheduleSlow) {
    LoopSummary loop = learnt_loop();
    loop.schedules[0].median_s = 0.01;
    loop.schedules[1].median_s = 0.012;
    loop.schedules[1].time_s = 5;  // one of the four was interrupted
    loop.schedules[2].median_s = 0.02;
    complete_choices(loop, {});
    EXPECT_EQ(loop.alternative.schedule, "guided");
    EXPECT_NEAR(loop.alternative.ratio, 1.2, 1e-12);
}

/// Two schedules of known medians, with so much less for the second one.
AlternativeUse compared(double less, double error_s, std::uint64_t calls, double late_s = 0) {
    LoopSummary loop;
    loop.workers = 2;
    loop.calls = 100 + calls;
    loop.late_s = late_s * static_cast<double>(loop.calls);
    loop.schedules = {{"feedback", "sarsa", 100, 1.0, false}, {"gss", "sarsa", calls, 0.01, true}};
    for (ScheduleUse& use : loop.schedules) {
        use.median_s = use.schedule == "gss" ? 0.01 * (1 - less) : 0.01;
        use.median_error_s = error_s;
        use.shortest = use.longest = 1000;
    }
    complete_choices(loop, {});
    EXPECT_EQ(loop.alternative.schedule, "gss");
    EXPECT_EQ(loop.alternative.calls, calls);
    return loop.alternative;
}

TEST(Choices, WhatMayBeLuckIsNoDifference) {
    EXPECT_TRUE(differs(compared(0.2, 0.0005, 15)));
    EXPECT_FALSE(differs(compared(0.1, 0.0005, 15))) << "within two standard errors of the two medians";
    EXPECT_FALSE(differs(compared(0.47, 0.0005, 4))) << "four executions make nothing faster";
    EXPECT_TRUE(differs(compared(0.47, 0.0005, 5)));
    EXPECT_TRUE(differs(compared(-0.47, 0.0005, 4))) << "slower is no advice";
    EXPECT_FALSE(differs(compared(0.2, 0.0001, 15, 0.003))) << "threads were late by as much";
    AlternativeUse unknown{.schedule = "gss", .call_s = 0.005, .ratio = 0.5};
    EXPECT_FALSE(differs(unknown)) << "older records do not say how sure they are";
    unknown.predicted = true;
    EXPECT_TRUE(differs(unknown));
}

TEST(Choices, WordsSayFromHowManyCallsAComparisonIs) {
    LoopSummary loop = learnt_loop();
    complete_choices(loop, {});
    loop.alternative = compared(0.47, 0.0005, 9);
    EXPECT_THAT(choice_remark(loop), HasSubstr("best other: gss, 47 % faster (measured in 9 calls)"));
    loop.alternative = compared(0.47, 0.0005, 3);
    EXPECT_THAT(choice_remark(loop), HasSubstr("best other: gss, no clear difference (measured in 3 calls)"));
}

TEST(Choices, MeansOverDifferentLengthsAreNotFormed) {
    LoopSummary loop = learnt_loop();
    for (ScheduleUse& use : loop.schedules) use.shortest = use.longest = 1000;
    complete_choices(loop, {});
    EXPECT_EQ(loop.shortest, 1000U);
    EXPECT_EQ(loop.longest, 1000U);
    EXPECT_GT(loop.exploring_cost_s, 0);
    loop.schedules[1].shortest = 500;
    complete_choices(loop, {});
    EXPECT_EQ(loop.shortest, 500U);
    EXPECT_EQ(loop.exploring_cost_s, 0);
    EXPECT_TRUE(loop.alternative.schedule.empty());
    EXPECT_EQ(choice_remark(loop), "  feedback 90 % (auto), exploring 10 %");
    complete_choices(loop, {.schedule = "gss", .call_s = 0.01, .ratio = 1.02, .predicted = true});
    EXPECT_EQ(loop.alternative.schedule, "gss") << "a ratio of pairs holds for all lengths";
}

TEST(Choices, ExecutionsLeftStaticCountAsCallsAndInNoTime) {
    LoopSummary loop = learnt_loop();
    loop.schedules.back().median_s = 5e-6;
    add_untimed(loop, 5000, 500'000);
    complete_choices(loop, {});
    EXPECT_EQ(loop.calls, 5100U);
    EXPECT_EQ(loop.iterations, 502'000U);
    EXPECT_EQ(technique_cell(loop), "static (too short: left static, 5000 of 5100 calls)");
    EXPECT_TRUE(loop.alternative.schedule.empty()) << "nobody knows what it would be compared with";
    LoopSummary looked_at = loop;
    looked_at.schedules[2].exploring = false;
    complete_choices(looked_at, {.schedule = "ss,32", .call_s = 3e-6, .ratio = 0.6});
    EXPECT_TRUE(looked_at.alternative.schedule.empty()) << "looks take longer than what is left";
    EXPECT_THAT(choice_remark(looked_at), HasSubstr("exploring 1 % cost 0.00 s; 5000 of")) << "of an unknown time";
    LoopSummary longer = learnt_loop();
    longer.schedules.back().median_s = 2e-4;
    add_untimed(longer, 5000, 500'000);
    EXPECT_EQ(longer.schedules.back().reason, "nothing to gain: left static") << "200 us are not short";
    EXPECT_EQ(choice_remark(loop),
              "  static 98 % (too short: left static), feedback 1 % (auto), exploring 1 %; 5000 of 5100 calls left "
              "static, untimed: time_s is of the other 100");
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    records[0].loops[0] = records[1].loops[0] = loop;
    EXPECT_EQ(to_json(from_json(to_json(records[0]))), to_json(records[0]));
    const LoopSummary sum = merge(records).loops[0].sum;
    EXPECT_EQ(sum.untimed_calls, 10000U);
    EXPECT_EQ(sum.untimed_iterations, 1'000'000U);
    EXPECT_EQ(sum.schedules.size(), 4U);
    EXPECT_THAT(summary_text(records[0], ReportLevel::full), HasSubstr("too short: left static"));
}

TEST(Choices, WhatWasLeftUnseenIsNotSaidToBeShortNorToLoseNothing) {
    RunRecord record = sample_record();
    LoopSummary loop;
    loop.name = "main.c:7 f";
    loop.workers = 2;
    add_untimed(loop, 1, 1000, 1);
    complete_choices(loop, {});
    EXPECT_TRUE(left_unseen(loop));
    EXPECT_EQ(technique_cell(loop), "static (left unseen, among short loops)");
    record.loops[0].time_s = record.loops[0].busy_max_s = record.loops[0].busy_mean_s = 0.01;
    record.loops[0].scheduling_s = 0;
    record.loops.push_back(loop);
    EXPECT_THAT(
        summary_text(record, ReportLevel::summary),
        HasSubstr("\nNOTE 1 call of a loop that came right after short ones was left to OpenMP and not timed: it "
                  "may be most of the run.\n"));
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("lose less than")));
    record.wall_s = 0.015;  // it was not
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("lose less than 1 % of the run in the 2 calls"));
    add_untimed(loop, 40, 40'000, 0);
    EXPECT_EQ(loop.schedules.back().reason, "too short: left static");
}

TEST(ChoiceText, OneLineSaysWhatWasChosenWhatItCostAndWhatElseThereWas) {
    LoopSummary loop = learnt_loop();
    complete_choices(loop, {.schedule = "guided", .call_s = 0.0102, .predicted = true});
    EXPECT_EQ(
        choice_remark(loop),
        "  feedback 90 % (auto), exploring 10 % cost 0.0680 s (6.4 % of the time); best other: guided, 2.0 % slower "
        "(predicted)");
    EXPECT_EQ(technique_cell(loop), "feedback (auto, 90 of 100 calls)");
}

TEST(ChoiceText, ALoopWithOneChoiceHasNoLineAndLooksAsEver) {
    LoopSummary loop = sample_record().loops[0];
    complete_choices(loop, {});
    EXPECT_EQ(choice_remark(loop), "");
    EXPECT_EQ(technique_cell(loop), "static (GIMBAL_SCHEDULE)");
    EXPECT_THAT(summary_text(sample_record(), ReportLevel::summary), Not(HasSubstr("best other")));
}

TEST(ChoiceText, ManyChoicesAreSummedUpAndSharesAreNeverRoundedToNothing) {
    LoopSummary loop = learnt_loop();
    loop.calls = 1000;
    loop.schedules = {{"ss", "random", 1, 0.01, false},
                      {"gss", "random", 990, 9.9, false},
                      {"tss", "random", 5, 0.05, false},
                      {"fac2", "random", 4, 0.04, false}};
    complete_choices(loop, {});
    EXPECT_THAT(choice_remark(loop), HasSubstr("gss 98 % (random), tss 1 %, 2 more 1 %; best other: "));
}

/// The per cent in a text, added up.
int sum_of_shares(const std::string& text) {
    int sum = 0;
    for (std::size_t at = text.find(" %"); at != std::string::npos; at = text.find(" %", at + 1)) {
        const std::size_t begin = text.find_last_not_of("0123456789", at - 1) + 1;
        sum += std::stoi(text.substr(begin, at - begin));
    }
    return sum;
}

TEST(ChoiceText, SharesAddUpToAll) {
    LoopSummary loop = learnt_loop();
    for (const auto& calls : std::vector<std::vector<std::uint64_t>>{
             {1, 1, 1}, {5, 5, 1}, {2, 2, 2, 1}, {33, 33, 33, 100, 1}, {996, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}}) {
        for (const std::uint64_t exploring : {0U, 1U, 7U}) {
            loop.schedules.clear();
            loop.calls = exploring;
            for (std::size_t i = 0; i < calls.size(); ++i) {
                loop.schedules.push_back({"ss," + std::to_string(i + 1), "auto", calls[i], 0, false});
                loop.calls += calls[i];
            }
            if (exploring > 0) loop.schedules.push_back({"gss", "auto", exploring, 0, true});
            complete_choices(loop, {});
            EXPECT_EQ(sum_of_shares(choice_remark(loop)), 100) << choice_remark(loop);
        }
    }
}

TEST(ChoiceText, OneOfTwoCallsIsNoChunkOfOneAndAHalf) {
    LoopSummary loop = learnt_loop();
    loop.calls = 2;
    loop.schedules = {{"ss,1", "auto", 1, 0.01, false}, {"static", "auto", 1, 0.01, true}};
    complete_choices(loop, {});
    EXPECT_EQ(technique_cell(loop), "ss,1 (auto, 1 of 2 calls)");
    EXPECT_EQ(choice_remark(loop).find('/'), std::string::npos) << choice_remark(loop);
}

TEST(ChoiceText, OnlyExploringHasNoCost) {
    LoopSummary loop = learnt_loop();
    loop.calls = 10;
    loop.schedules.erase(loop.schedules.begin());
    complete_choices(loop, {});
    EXPECT_EQ(choice_remark(loop), "  exploring 100 %");
}

TEST(ChoiceReport, TheLineStandsUnderItsLoopAndColumnsStayAligned) {
    RunRecord record = learnt_record();
    record.loops.push_back(sample_record().loops[0]);
    record.loops[1].name = "other.cpp:1 f";
    record.loops[1].time_s = 0.5;
    const std::string text = summary_text(record, ReportLevel::summary);
    const std::size_t remark = text.find("\n  feedback 90 % (auto), exploring");
    ASSERT_NE(remark, std::string::npos) << text;
    EXPECT_LT(text.find("sph.cpp:210 density"), remark);
    EXPECT_LT(remark, text.find("other.cpp:1 f"));
    // Where the technique begins in a loop's row.
    const auto column = [&](const char* row, const char* technique) {
        const std::size_t begin = text.find(row);
        return text.find(technique, begin) - begin;
    };
    EXPECT_EQ(column("sph.cpp:210 density", "feedback (auto"), column("other.cpp:1 f", "static (")) << text;
}

TEST(ChoiceReport, FullListsEveryScheduleWithItsMedianTime) {
    RunRecord record = learnt_record();
    record.loops[0].schedules[2].median_s = 0.02;
    const std::string text = summary_text(record, ReportLevel::full);
    EXPECT_THAT(text, HasSubstr("choices for sph.cpp:210 density (team of 2)"));
    EXPECT_THAT(text, HasSubstr("auto, exploring"));
    EXPECT_THAT(text, HasSubstr("20.000"));
    EXPECT_THAT(text, HasSubstr("best other: guided, 20 % slower (measured in 4 calls)\n"));
    EXPECT_THAT(text, Not(HasSubstr(" \n")));
}

TEST(ChoiceReport, TellsManyTimesTheTimeAsSuch) {
    RunRecord record = learnt_record();
    record.loops[0].alternative = {"ss", 1.5, 154.4, true};
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("best other: ss, 154 times as long (predicted)"));
}

TEST(ChoiceReport, NotesDoNotTellASelectorItsBusiness) {
    RunRecord record = learnt_record();
    const std::string text = summary_text(record, ReportLevel::summary);
    EXPECT_THAT(text, HasSubstr("perfect balance would save 1.00 s (10.0 % of the run). auto has found no faster"));
    EXPECT_THAT(text, Not(HasSubstr("Try ")));
    record.loops[0].alternative = {"gss", 0.009, 0.9, true};
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("auto now expects gss to take 10.0 % less time."));
    record.loops[0].alternative = {"gss", 0.009, 0.9, false, 8, 0.02};
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("auto has seen gss take 10.0 % less time in 8 calls."));
    record.loops[0].alternative.error = 0.06;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("auto has found no faster schedule."));
    record.loops[0].alternative = {};
    record.loops[0].schedules.resize(1);
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("auto has tried nothing else."));
    record.loops[0].exploring_calls = 60;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Most calls explored: a longer run settles.\n"));
    record.cache = "new";
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("the next run begins where this one ends"));
    LoopSummary once = record.loops[0];
    once.calls = once.exploring_calls = 1;
    std::swap(once, record.loops[0]);
    EXPECT_THAT(summary_text(record, ReportLevel::summary),
                HasSubstr("It ran once, when nothing was known of it, and"));
    std::swap(once, record.loops[0]);
    record.loops[0].schedules[0].reason = "sarsa";  // what it learnt is not kept
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("GIMBAL_RECORD and GIMBAL_REPLAY keep"));
    record.loops[0].iterations = 300;
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("Only 3.0 iterations per call"));
}

TEST(ChoiceReport, SaysWhatAnEarlierRunHadToDoWithIt) {
    RunRecord record = learnt_record();
    EXPECT_THAT(summary_text(record, ReportLevel::summary), Not(HasSubstr("earlier run")));
    record.loops[0].earlier_run = "used";
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("  known from an earlier run; "));
    record.loops[0].earlier_run = "dropped";
    EXPECT_THAT(summary_text(record, ReportLevel::summary), HasSubstr("unlike what an earlier run saw, learnt anew; "));
}

TEST(ChoiceJson, ChoicesComeBackAsTheyWent) {
    RunRecord record = learnt_record();
    record.loops[0].earlier_run = "used";
    record.cache = "known";
    EXPECT_EQ(from_json(to_json(record)).cache, "known");
    EXPECT_EQ(from_json(to_json(record)).loops[0].earlier_run, "used");
    const LoopSummary back = from_json(to_json(record)).loops[0];
    ASSERT_EQ(back.schedules.size(), 3U);
    EXPECT_EQ(back.schedules[1].exploring, true);
    EXPECT_DOUBLE_EQ(back.schedules[1].time_s, 0.048);
    EXPECT_EQ(back.exploring_calls, 10U);
    EXPECT_DOUBLE_EQ(back.exploring_cost_s, record.loops[0].exploring_cost_s);
    EXPECT_EQ(back.alternative.schedule, "guided");
    EXPECT_DOUBLE_EQ(back.alternative.ratio, record.loops[0].alternative.ratio);
    EXPECT_EQ(to_json(from_json(to_json(record))), to_json(record));
    EXPECT_THAT(to_json(sample_record()), HasSubstr("\"alternative\": null"));
}

TEST(ChoiceJson, RecordsOfBeforeThereWereSelectorsAreRead) {
    std::string text = to_json(sample_record());
    for (const char* key : {"\"exploring_calls\"", "\"exploring_cost_s\"", "\"alternative\"", "\"exploring\""})
        for (std::size_t at; (at = text.find(key)) != std::string::npos;) text.replace(at, 3, "\"_o");
    const LoopSummary back = from_json(text).loops[0];
    EXPECT_EQ(back.exploring_calls, 0U);
    EXPECT_TRUE(back.alternative.schedule.empty());
    EXPECT_FALSE(back.schedules[0].exploring);
}

TEST(ChoiceMerge, RanksAddUpAndTheBusiestNamesTheAlternative) {
    RunRecord records[] = {learnt_record(0, 2), learnt_record(1, 2), learnt_record(1, 2)};
    records[1].loops[0].time_s = 9;
    records[1].loops[0].alternative = {"gss", 0.02, 1.5, true};
    const LoopSummary sum = merge(records).loops[0].sum;
    EXPECT_EQ(sum.exploring_calls, 30U);
    EXPECT_NEAR(sum.exploring_cost_s, 3 * 0.068, 1e-12);
    EXPECT_EQ(sum.alternative.schedule, "gss");
    ASSERT_EQ(sum.schedules.size(), 3U);
    EXPECT_EQ(sum.schedules[0].calls, 270U);
    EXPECT_NEAR(sum.schedules[0].time_s, 2.7, 1e-12);
}

TEST(ChoiceMerge, ExploringAndSettledExecutionsStayApart) {
    RunRecord records[] = {sample_record(0, 2), sample_record(1, 2)};
    records[1].loops[0].schedules[0].exploring = true;
    const LoopSummary sum = merge(records).loops[0].sum;
    ASSERT_EQ(sum.schedules.size(), 2U);
    EXPECT_NE(sum.schedules[0].exploring, sum.schedules[1].exploring);
}

}  // namespace
}  // namespace gimbal
