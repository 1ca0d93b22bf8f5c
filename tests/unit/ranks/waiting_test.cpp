// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "gimbal/rank_waiting.h"
#include "lightweight/slack.hpp"
#include "ranks/waiting.hpp"

namespace gimbal {
namespace {

size_t nothing(gimbal_waiting_sums* sums, gimbal_waiting_path*, size_t) {
    *sums = {};
    return 0;
}

// A loop of 10 ms whose every draw is dear: a millisecond of slack is worth giving up shared work for.
double fraction_now() {
    const double ms = 1000 * ticks_per_microsecond();
    const RegionModel region{.iterations = 1000, .workers = 2, .iteration_time = 0.02 * ms, .dequeue = ms / 1000};
    return slack_adjusted_fraction(0.5, region, SlackForm::tight);
}

TEST(ExpectedSlack, RaisesTheStaticFractionWhileItIsKnown) {
    while (seconds_since_start() < 0.06) {
    }
    gimbal_rank_waiting_source(nothing);
    EXPECT_DOUBLE_EQ(fraction_now(), 0.5);
    gimbal_rank_waiting_expect(1e-3);
    EXPECT_GT(fraction_now(), 0.55);
    gimbal_rank_waiting_expect(0);
    EXPECT_DOUBLE_EQ(fraction_now(), 0.5);
    gimbal_rank_waiting_expect(1e-3);
    gimbal_rank_waiting_source(nullptr);
    EXPECT_DOUBLE_EQ(fraction_now(), 0.5);
}

TEST(ExpectedSlack, IsNoneOfAForkedChild) {
    gimbal_rank_waiting_source(nothing);
    gimbal_rank_waiting_expect(1e-3);
    EXPECT_GT(fraction_now(), 0.55);
    forget_waiting_in_child();
    EXPECT_DOUBLE_EQ(fraction_now(), 0.5);
}

}  // namespace
}  // namespace gimbal
