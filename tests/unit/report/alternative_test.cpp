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

}  // namespace
