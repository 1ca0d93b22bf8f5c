// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/rewards.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace gimbal::learn;

constexpr double kGood = 1;
constexpr double kNeutral = 0;
constexpr double kBad = -1;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Parameters parameters(RewardKind kind) {
    return {.reward = kind, .rewards = {kGood, kNeutral, kBad}};
}

/// What a reward says to signals, one after the other.
std::vector<double> rewards_of(const Parameters& parameters, const std::vector<double>& signals) {
    const auto reward = make_reward(parameters);
    std::vector<double> rewards;
    for (const double signal : signals) rewards.push_back(reward->of(signal));
    return rewards;
}

constexpr RewardKind kBanded[] = {RewardKind::looptime, RewardKind::loadimbalance, RewardKind::stddev, RewardKind::cov,
                                  RewardKind::skewness, RewardKind::kurtosis,      RewardKind::ips};

TEST(Bands, FollowAlgorithm4) {
    const std::vector<double> signals{10, 10.4, 12, 11, 11.5, 8, 8.3, 8.5, 20, 12, 19.1, 8.41, 7.9};
    const std::vector<double> expected{kGood,    kGood, kBad,     kNeutral, kBad,     kGood, kGood,
                                       kNeutral, kBad,  kNeutral, kBad,     kNeutral, kGood};
    for (const RewardKind kind : kBanded) EXPECT_EQ(rewards_of(parameters(kind), signals), expected);
}

TEST(Bands, FirstStepIsGood) {
    EXPECT_EQ(rewards_of(parameters(RewardKind::looptime), {3})[0], kGood);
}

// 10 * 1.04 would lower a bound of 1.05 * 10.4 if near misses moved it.
TEST(Bands, BoundIsTheLowestItselfAndDoesNotCreep) {
    EXPECT_EQ(rewards_of(parameters(RewardKind::looptime), {100, 104, 108}), (std::vector<double>{kGood, kGood, kBad}));
    EXPECT_EQ(rewards_of(parameters(RewardKind::looptime), {50, 100, 96, 92}),
              (std::vector<double>{kGood, kBad, kBad, kNeutral}));
}

TEST(Bands, PerfectBalanceIsGoodAndMakesOnlyItselfSo) {
    EXPECT_EQ(rewards_of(parameters(RewardKind::loadimbalance), {0, 0, 1, 0.5, 1e-9, 0}),
              (std::vector<double>{kGood, kGood, kBad, kNeutral, kNeutral, kGood}));
}

TEST(LooptimeAverage, ComparesWithAllStepsBefore) {
    std::vector<double> signals(100, 10.0);
    signals.insert(signals.end(), {9.0, 9.991, 10.0});  // the mean hardly moves
    const std::vector<double> rewards = rewards_of(parameters(RewardKind::looptime_average), signals);
    EXPECT_EQ(rewards[0], kNeutral);
    EXPECT_EQ(rewards[1], kBad);  // not below
    EXPECT_EQ(rewards[100], kGood);
    EXPECT_EQ(rewards[101], kBad);  // the mean is 1009/101 = 9.9901
    EXPECT_EQ(rewards[102], kBad);
}

// 9.4 is below the mean of 10 and 9, 9.5 above that of 10, 9 and 9.4; with its own first step among those before,
// 9 would have been compared with 9.5.
TEST(LooptimeAverage, DoesNotCountTheStepItself) {
    EXPECT_EQ(rewards_of(parameters(RewardKind::looptime_average), {10, 9, 9.4, 9.5}),
              (std::vector<double>{kNeutral, kGood, kGood, kBad}));
}

TEST(LooptimeRollingAverage, ForgetsWhatLeftTheWindow) {
    Parameters window = parameters(RewardKind::looptime_rolling_average);
    window.average_window = 3;
    // Means before: -, 100, 100, 100, (100+100+10)/3 = 70, (100+10+20)/3 = 43.3, (10+20+30)/3 = 20
    EXPECT_EQ(rewards_of(window, {100, 100, 100, 10, 20, 30, 25}),
              (std::vector<double>{kNeutral, kBad, kBad, kGood, kGood, kGood, kBad}));
    EXPECT_EQ(rewards_of(parameters(RewardKind::looptime_average), {100, 100, 100, 10, 20, 30, 25}).back(), kGood);
}

TEST(LooptimeRollingAverage, AnyWindowIsAtLeastOneStepAndBounded) {
    Parameters window = parameters(RewardKind::looptime_rolling_average);
    window.average_window = 0;
    EXPECT_EQ(rewards_of(window, {3, 2, 2.5, 2}), (std::vector<double>{kNeutral, kGood, kBad, kGood}));
    window.average_window = std::numeric_limits<std::uint32_t>::max();
    EXPECT_EQ(rewards_of(window, {3, 2, 2.4}), (std::vector<double>{kNeutral, kGood, kGood}));
}

TEST(LooptimeInverse, IsAMultipleOfOneOverTheTime) {
    EXPECT_EQ(rewards_of({.reward = RewardKind::looptime_inverse}, {1, 4, 0.5}), (std::vector<double>{10, 2.5, 20}));
    EXPECT_EQ(rewards_of({.reward = RewardKind::looptime_inverse, .inverse_multiplier = 3}, {2}),
              (std::vector<double>{1.5}));
}

TEST(Robustness, IsTheDistanceFromAMultipleOfTheFastestSoFar) {
    EXPECT_EQ(rewards_of({.reward = RewardKind::robustness, .tau = 1.5}, {4, 2, 8, 3}),
              (std::vector<double>{2, 1, -5, 0}));
}

Signals all_different() {
    return {
        .loop_time_s = 2,
        .imbalance = {.percent_imbalance = 0.3, .lost = 0.7, .cov = 0.4, .sd = 0.5, .skewness = -0.6, .kurtosis = -1.2},
        .instructions_per_second = 4};
}

TEST(Signal, IsWhatTheRewardIsNamedFor) {
    const Signals signals = all_different();
    for (const RewardKind kind :
         {RewardKind::looptime, RewardKind::looptime_average, RewardKind::looptime_rolling_average,
          RewardKind::looptime_inverse, RewardKind::robustness}) {
        EXPECT_EQ(signal_of(kind, signals), 2);
    }
    EXPECT_EQ(signal_of(RewardKind::loadimbalance, signals), 0.3);
    EXPECT_EQ(signal_of(RewardKind::stddev, signals), 0.5);
    EXPECT_EQ(signal_of(RewardKind::cov, signals), 0.4);
    EXPECT_EQ(signal_of(RewardKind::skewness, signals), 0.6);  // without its sign
    EXPECT_EQ(signal_of(RewardKind::kurtosis, signals), 1.2);  // likewise
    EXPECT_EQ(signal_of(RewardKind::ips, signals), 0.25);      // more instructions per second are better
}

TEST(Signal, ThatWasNotMeasuredIsNone) {
    for (const double time : {0.0, -1.0, std::nan(""), kInfinite}) {
        EXPECT_TRUE(std::isnan(signal_of(RewardKind::looptime, {.loop_time_s = time})));
        EXPECT_TRUE(std::isnan(signal_of(RewardKind::ips, {.instructions_per_second = time})));
    }
    EXPECT_TRUE(std::isnan(signal_of(RewardKind::ips, {.instructions_per_second = 1e-320})));  // inverse overflows
    EXPECT_TRUE(std::isnan(signal_of(RewardKind::cov, {.imbalance = {.cov = std::nan("")}})));
    EXPECT_EQ(signal_of(RewardKind::cov, {}), 0);  // no imbalance is a measurement
}

}  // namespace
