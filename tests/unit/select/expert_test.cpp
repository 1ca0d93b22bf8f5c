// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/expert.hpp"

#include <gtest/gtest.h>

#include "scripted.hpp"
#include "select/fuzzy_rules.hpp"

namespace {

using gimbal::expert_portfolio;
using gimbal::ExpertSelector;
using gimbal::expert::first_choice;
using gimbal::expert::next_step;
using gimbal::test::context_of;
using gimbal::test::place_of;
using gimbal::test::record_of;
using gimbal::test::step;

ExpertSelector make_expert() {
    return ExpertSelector({.portfolio = expert_portfolio(), .reason = "expert"});
}

TEST(Imbalance, IsOneWhenASingleWorkerDoesEverythingWhateverP) {
    for (const std::uint32_t p : {2U, 3U, 4U, 64U}) {
        gimbal::LoopRecord record;
        record.busy_max = 7;
        record.busy_mean = 7.0 / p;
        EXPECT_DOUBLE_EQ(gimbal::load_imbalance(record, p), 1.0) << "P / (P - 1) is no integer";
        record.busy_mean = 7;
        EXPECT_DOUBLE_EQ(gimbal::load_imbalance(record, p), 0.0);
    }
    EXPECT_EQ(gimbal::load_imbalance({.busy_max = 7, .busy_mean = 7}, 1), 0.0);
    EXPECT_EQ(gimbal::load_imbalance({}, 4), 0.0);
}

TEST(ExpertRules, FirstChoicesWorkedOutByHand) {
    // Short and low are true, nothing else: simple alone, 1 - 1 = 0.
    EXPECT_EQ(first_choice(0.005, 0.5), 0);
    // Medium and moderate are true: moderate alone, 3 + (1 - 0) = 4.
    EXPECT_EQ(first_choice(0.5, 3), 4);
    // Long and high: aggressive alone, 14 + 1 = 15, beyond the end.
    EXPECT_EQ(first_choice(10, 20), 11);
    // Short (0.03 - 0.02) / 0.02 = 0.5, medium 0.02 / 0.1 = 0.2, high (6 - 4) / 6 = 0.333: simple 0.5 * 0.75 = 0.375,
    // moderate 0.2 * 3.75 = 0.75, so weights 1/3 and 2/3: 3 * 2/3 + 1 - 1/3 = 2.67.
    EXPECT_EQ(first_choice(0.02, 6), 2);
    // Medium (10 - 5) / 9 = 0.556, long 0.444, high (8 - 4) / 6 = 0.667: moderate 0.556 * 3.75 = 2.083, aggressive
    // 0.444 * 8.5 = 3.778, weights 0.3554 and 0.6446: 14 * 0.6446 + 3 * 0.3554 + 1 = 11.09.
    EXPECT_EQ(first_choice(5, 8), 11);
    // Medium (10 - 2) / 9 = 0.889, long 0.111, high (5 - 4) / 6 = 0.167: moderate 0.167 * 3.75 = 0.625, aggressive
    // 0.111 * 8.5 = 0.944, weights 0.398 and 0.602: 8.43 + 1.19 + 1 = 10.6.
    EXPECT_EQ(first_choice(2, 5), 10);
    // Medium and low alone: low is simple.
    EXPECT_EQ(first_choice(0.5, 0), 0);
    // Medium alone says nothing of a loop that is neither moderate nor low: 4.0 to 5 is still moderate or high.
    EXPECT_EQ(first_choice(0.5, 4.5), 4);
}

TEST(ExpertRules, LaterStepsWorkedOutByHand) {
    // Medium, high, slower by 5 % and worse by 5 points: more alone.
    EXPECT_DOUBLE_EQ(next_step(0.5, 10, 5, 5), 4);
    // Slower by 5 %, better by 5 points: less alone.
    EXPECT_DOUBLE_EQ(next_step(0.5, 10, 5, -5), -4);
    // Faster by 5 %: same alone.
    EXPECT_DOUBLE_EQ(next_step(0.5, 10, -5, 5), 0);
    // No change in a loop of 5 s that is high: same 1 * 1.5, more min(high 1, long 0.444) * 2.75 = 1.222.
    EXPECT_NEAR(next_step(5, 10, 0, 0), 4 * (4.0 / 9 * 2.75) / (1.5 + 4.0 / 9 * 2.75), 1e-12);
    // No change in a short loop: same 1.5, less 2.75.
    EXPECT_NEAR(next_step(0.001, 10, 0, 0), -4 * 2.75 / 4.25, 1e-12);
    // Slower by 1.75 %: degraded by half; imbalance as before: less 0.5 * 2.75 alone.
    EXPECT_DOUBLE_EQ(next_step(0.5, 10, 1.75, 0), -4);
}

TEST(ExpertRules, StayInsideWhateverTheyAreTold) {
    for (double time_s = 1e-7; time_s < 1e3; time_s *= 1.7) {
        for (double imbalance = 0; imbalance <= 100; imbalance += 0.7) {
            const double first = first_choice(time_s, imbalance);
            EXPECT_EQ(first, static_cast<int>(first));
            ASSERT_GE(first, 0);
            ASSERT_LE(first, 11);
            for (const double change : {-300.0, -2.0, -0.7, 0.0, 0.7, 2.0, 1e9}) {
                ASSERT_LE(std::abs(next_step(time_s, imbalance, change, change / 2)), 4);
            }
        }
    }
}

TEST(Expert, BeginsPlainDecidesByTheFirstExecutionThatCountsAndGoesOnFromThere) {
    ExpertSelector expert = make_expert();
    const auto where = [&](const gimbal::LoopRecord& record) {
        return place_of(step(expert, record), expert_portfolio());
    };
    EXPECT_EQ(where(record_of(9, 90)), 0U) << "the first execution is not counted";
    EXPECT_EQ(where(record_of(0.5, 3)), 0U);
    EXPECT_EQ(where(record_of(0.6, 10)), 4U) << "moderate; now 20 % slower and 7 points worse";
    EXPECT_EQ(where(record_of(0.3, 10)), 8U) << "four more; now faster";
    EXPECT_EQ(where(record_of(0.6, 2)), 8U) << "the same; now slower and better balanced";
    EXPECT_EQ(where(record_of(0.6, 2)), 4U);
}

TEST(Expert, LoopsUnderAMillisecondAreNoLoopsOfZero) {
    ExpertSelector expert = make_expert();
    step(expert, record_of(1e-4, 50));
    step(expert, record_of(1e-4, 50));
    // Short 1, medium 0.001, high 1: simple 0.75, moderate 0.00375: a place below 1.
    EXPECT_EQ(place_of(step(expert, record_of(1e-4, 50)), expert_portfolio()), 0U);
}

TEST(Expert, LateResultsOfAnEarlierChoiceMoveNothing) {
    ExpertSelector expert = make_expert();
    step(expert, record_of(1, 1));
    const gimbal::Decision early = expert.choose(context_of());
    const gimbal::Decision late = expert.choose(context_of());
    expert.learn(early, record_of(0.5, 3), context_of());
    ASSERT_EQ(place_of(expert.choose(context_of()), expert_portfolio()), 4U);
    expert.learn(late, record_of(50, 90), context_of());
    EXPECT_EQ(place_of(expert.choose(context_of()), expert_portfolio()), 4U);
}

TEST(Expert, OtherPortfoliosAreGoneThroughInProportion) {
    const gimbal::Portfolio three = gimbal::parse_portfolio("static gss af");
    ExpertSelector expert({.portfolio = three, .reason = "expert"});
    step(expert, record_of(1, 1));
    step(expert, record_of(10, 20));
    EXPECT_EQ(place_of(expert.choose(context_of()), three), 2U) << "aggressive is the last";
    ExpertSelector alone({.portfolio = gimbal::parse_portfolio("gss"), .reason = "expert"});
    for (int i = 0; i < 5; ++i) EXPECT_EQ(gimbal::test::name_of(step(alone, record_of(10, 20 * i))), "gss");
}

}  // namespace
