// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>

#include "learn/agents/linear_q.hpp"
#include "learn/learner.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;

/// The trouble that seed 002 tells of: features that grow together during an episode, and targets made of the value
/// itself. @return the largest size that the value reaches in 200 episodes
template <class Rule>
double largest_value(const Rule& rule) {
    LinearValue value(3);
    double largest = 0;
    for (int episode = 0; episode < 200; ++episode) {
        for (int t = 0; t < 50; ++t) {
            const double here[] = {1, 1.0 * t, t / 2.0};
            const double there[] = {1, 1.0 * (t + 1), (t + 1) / 2.0};
            rule(value, here, -1 + 0.95 * value.at(there));
            largest = std::max(largest, std::abs(value.at(here)));
            if (!(largest < 1e12)) return largest;
        }
    }
    return largest;
}

TEST(LinearValue, SquashedErrorsDoNotDivergeWherePlainOnesDo) {
    const double plain = largest_value(
        [](LinearValue& v, std::span<const double> x, double target) { v.learn_plainly(x, target, 0.2); });
    const double squashed =
        largest_value([](LinearValue& v, std::span<const double> x, double target) { v.learn(x, target, 0.2); });
    EXPECT_FALSE(plain < 1e12);
    EXPECT_LT(squashed, 2000);  // a step moves the value by 0.2 |x|^2 = 600 at most
}

TEST(LinearValue, SmallErrorsAreLearntPlainly) {
    const double features[] = {1, 0.5};
    LinearValue squashed(2);
    LinearValue plain(2);
    squashed.learn(features, 1e-3, 0.5);
    plain.learn_plainly(features, 1e-3, 0.5);
    EXPECT_NEAR(squashed.at(features) / plain.at(features), 1, 1e-6);
    EXPECT_DOUBLE_EQ(plain.at(features), 0.5 * 1e-3 * 1.25);
}

TEST(LinearValue, AnErrorMovesItByTheRateAtMost) {
    const double features[] = {1, 0.5};
    LinearValue value(2);
    value.learn(features, 1e9, 0.5);
    EXPECT_DOUBLE_EQ(value.at(features), 0.5 * 1.25);
    value.learn(features, -1e9, 0.5);
    EXPECT_NEAR(value.at(features), 0, 1e-12);
}

TEST(LinearQ, StaysFiniteWithTheHighestRatesAndHugeRewards) {
    for (const PolicyKind policy : {PolicyKind::explore_first, PolicyKind::epsilon_greedy, PolicyKind::softmax}) {
        const auto learner = make_learner({.agent = AgentKind::linear_q,
                                           .policy = policy,
                                           .reward = RewardKind::looptime_inverse,
                                           .gamma = 1,
                                           .alpha = 1,
                                           .alpha_decay = 0},
                                          6, 1);
        for (int t = 0; t < 20000; ++t) {
            const Pick pick = learner->next();
            learner->observe(pick, {.loop_time_s = 1e-9 * (1 + pick.action), .imbalance = {.percent_imbalance = 50}});
        }
        for (std::uint32_t a = 0; a < 6; ++a) EXPECT_LT(std::abs(learner->value(a)), 20000 * 2);
    }
}

// Rates that sink as 0.001 / (m + 1): after 1000 steps they have added up to 0.0075 only, which seed 002 found useless.
TEST(LinearQ, TakesTheSourcesDecayingRate) {
    const auto learner = make_learner(
        {.agent = AgentKind::linear_q, .decay = DecayKind::harmonic, .alpha = 0.001, .alpha_min = 0}, 1, 1);
    for (int t = 0; t < 1000; ++t) {
        const Pick pick = learner->next();
        learner->observe(pick, {.loop_time_s = 1});
        EXPECT_DOUBLE_EQ(learner->thought().alpha, 0.001 / (t + 1));
    }
    EXPECT_GT(learner->value(0), 0);
    EXPECT_LT(learner->value(0), 0.01 * 0.0075);
}

/// Two actions, all coefficients 0, and two steps whose values can be written down: 0 to 1, and back.
struct TwoSteps {
    static constexpr double kGamma = 0.5, kAlpha = 0.5;
    Random random{1};
    LinearQLearner agent{2, kGamma, Initialiser({.init = InitKind::zero}, random)};

    TwoSteps() {
        agent.learn({.state = 0, .action = 1, .reward = 1, .alpha = kAlpha, .loop_time_s = 1, .imbalance = 0.4});
        agent.learn({.state = 1, .action = 0, .reward = 0.3, .alpha = kAlpha, .loop_time_s = 2, .imbalance = 0.1});
    }
    [[nodiscard]] double value(std::uint32_t state, std::size_t action) const {
        double row[2];
        agent.row(state, row);
        return row[action];
    }
};

// Features are half of: 1, the place, the imbalance, the fastest mean time over the own one. After both steps:
constexpr double kState0[] = {0.5, 0, 0.05, 0.25};  // it took 2 s, twice as long as the fastest
constexpr double kState1[] = {0.5, 0.5, 0.2, 0.5};  // 1 s, the fastest
constexpr double kBefore0[] = {0.5, 0, 0, 0.5};     // state 0 before anything was seen of it

double product(const double (&a)[4], const double (&b)[4]) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += a[i] * b[i];
    return sum;
}

// The first step knows no next value: its target is the reward. The coefficients of action 1 become a multiple of the
// features that state 0 had.
TEST(LinearQ, TheFirstStepMovesTheActionTowardsTheReward) {
    const TwoSteps two;
    const double coefficient = TwoSteps::kAlpha * std::tanh(1.0);
    EXPECT_DOUBLE_EQ(two.value(0, 1), coefficient * product(kBefore0, kState0));
    EXPECT_DOUBLE_EQ(two.value(1, 1), coefficient * product(kBefore0, kState1));
}

// The second step's target is the reward, and gamma times the best value in the state that it leads to, 0: that of
// action 1, since action 0's is still 0. Left out, the worst instead of the best, or the state that it comes from would
// each give another number.
TEST(LinearQ, TheTargetHasTheDiscountedBestValueOfTheNextState) {
    const TwoSteps two;
    const double best = TwoSteps::kAlpha * std::tanh(1.0) * product(kBefore0, kState0);
    ASSERT_GT(best, 0);
    const double coefficient = TwoSteps::kAlpha * std::tanh(0.3 + TwoSteps::kGamma * best);
    EXPECT_DOUBLE_EQ(two.value(1, 0), coefficient * product(kState1, kState1));
    EXPECT_DOUBLE_EQ(two.value(0, 0), coefficient * product(kState1, kState0));
}

// Two agents that differ only in the imbalance that a state had: their values differ by its coefficient times half of
// it. More than 1 counts as 1, and what is no imbalance as 0.
TEST(LinearQ, TheImbalanceOfAStateIsAFeature) {
    const auto value = [](double imbalance) {
        TwoSteps two;
        two.agent.learn({.state = 1, .action = 0, .reward = 0, .alpha = 0, .loop_time_s = 2, .imbalance = imbalance});
        return two.value(0, 0);
    };
    const double best = TwoSteps::kAlpha * std::tanh(1.0) * product(kBefore0, kState0);
    const double coefficient = TwoSteps::kAlpha * std::tanh(0.3 + TwoSteps::kGamma * best) * kState1[2];
    EXPECT_NEAR(value(0.8) - value(0.2), coefficient * 0.3, 1e-15);
    EXPECT_DOUBLE_EQ(value(7), value(1));
    EXPECT_DOUBLE_EQ(value(-1), value(0));
}

// Averaging the features is averaging the values.
TEST(LinearQ, AveragesOverStates) {
    Random random(1);
    LinearQLearner agent(3, 0.9, Initialiser({.init = InitKind::random}, random));
    for (int t = 0; t < 100; ++t) {
        const auto s = static_cast<std::uint32_t>(random.between(0, 2));
        const auto a = static_cast<std::uint32_t>(random.between(0, 2));
        agent.learn({.state = s, .action = a, .reward = random.unit(), .alpha = 0.3, .loop_time_s = 1 + random.unit()});
        double sum = 0;
        for (std::uint32_t state = 0; state < 3; ++state) {
            double row[3];
            agent.row(state, row);
            sum += row[a];
        }
        ASSERT_NEAR(agent.averages()[a], sum / 3, 1e-12);
    }
}

}  // namespace
