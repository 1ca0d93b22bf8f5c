// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "report/choices.hpp"

namespace {

using namespace gimbal;

TEST(Alternative, ItsRatioHoldsHoweverLongCallsTakeNow) {
    LoopSummary loop;
    loop.calls = 100;
    loop.schedules = {{"feedback", "auto", 100, 1.0, false}};
    // The loop has grown: a call takes five times the mean by now.
    complete_choices(loop, {.schedule = "gss", .call_s = 0.051, .ratio = 1.02, .predicted = true});
    EXPECT_EQ(loop.alternative.schedule, "gss");
    EXPECT_DOUBLE_EQ(loop.alternative.ratio, 1.02);
    EXPECT_DOUBLE_EQ(loop.alternative.call_s, 0.0102) << "of the mean call of the main choice";
}

TEST(Alternative, ItsRatioIsOfTheTimeWithoutLateThreads) {
    LoopSummary loop;
    loop.calls = 110;
    loop.untimed_calls = 10;
    loop.late_s = 0.4;
    loop.schedules = {{"feedback", "auto", 100, 1.0, false}};
    complete_choices(loop, {.schedule = "gss", .call_s = 0.01, .ratio = 0.5, .calls = 6, .error = 0.01});
    EXPECT_DOUBLE_EQ(loop.alternative.call_s, 0.004 + 0.5 * 0.006) << "they come no sooner";
    EXPECT_DOUBLE_EQ(loop.alternative.ratio, 0.5);
    EXPECT_DOUBLE_EQ(loop.alternative.error, 0.01) << "the selector's own";
}

TEST(Alternative, WhatWasMeasuredAtOtherLengthsIsNoComparison) {
    LoopSummary loop;
    loop.calls = 100;
    loop.schedules = {{"af", "auto", 90, 0.9, false}, {"tss", "auto", 10, 5.0, true}};
    for (ScheduleUse& use : loop.schedules) use.shortest = use.longest = 1000;
    const AlternativeUse measured{.schedule = "tss", .call_s = 0.5, .ratio = 50};
    complete_choices(loop, measured);
    EXPECT_EQ(loop.alternative.schedule, "tss") << "executions of one length can be compared";
    loop.schedules[1].longest = 30'000;
    complete_choices(loop, measured);
    EXPECT_EQ(loop.alternative.schedule, "") << "chunks of ranks differ in length";
    AlternativeUse predicted = measured;
    predicted.predicted = true;
    complete_choices(loop, predicted);
    EXPECT_EQ(loop.alternative.schedule, "tss") << "a model compares at one length";
}

}  // namespace
