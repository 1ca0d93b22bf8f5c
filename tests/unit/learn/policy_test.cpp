// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/policies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "learn/learner.hpp"
#include "learn/policies.hpp"
#include "stub_agent.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;
using gimbal::test::StubAgent;

TEST(Greedy, TakesTheHighestThenTheFasterThenTheFirst) {
    ActionTimes times(4);
    const std::vector<double> equal(4, -1.0);
    EXPECT_EQ(greedy(equal, times), 0u);
    times.add(2, 5);
    EXPECT_EQ(greedy(equal, times), 2u);  // never measured comes last
    times.add(1, 4);
    times.add(1, 8);
    EXPECT_EQ(greedy(equal, times), 2u);  // means 6 and 5
    times.add(1, 1);
    EXPECT_EQ(greedy(equal, times), 1u);
    EXPECT_EQ(greedy(std::vector<double>{-1, -1, -1, -0.99}, times), 3u);
    EXPECT_EQ(greedy(std::vector<double>{-1, -1, -1 + 1e-15, -1}, times), 1u);  // what rounding leaves is no difference
}

TEST(ActionTimes, IgnoreWhatIsNoTime) {
    ActionTimes times(2);
    for (const double time : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) times.add(0, time);
    EXPECT_FALSE(times.tried(0));
    times.add(0, 3);
    EXPECT_EQ(times.mean(0), 3);
}

// The learner's own picks, so that the states are what they are in earnest.
TEST(ExploreFirst, VisitsEveryPairExactlyOnceAndThenExploits) {
    for (std::uint32_t actions = 1; actions <= 13; ++actions) {
        const auto learner = make_learner({.policy = PolicyKind::explore_first}, actions, 1);
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        std::uint32_t last = 0;  // the first state
        for (std::uint32_t i = 0; i < actions * actions; ++i) {
            const Pick pick = learner->next();
            ASSERT_EQ(pick.state, last);
            ASSERT_LT(pick.action, actions);
            ASSERT_TRUE(pick.exploring);
            ASSERT_TRUE(pairs.emplace(pick.state, pick.action).second) << pick.state << ' ' << pick.action;
            last = pick.action;
            learner->observe(pick, {.loop_time_s = 1.0 + pick.action});
        }
        EXPECT_EQ(last, 0u);  // a circuit
        const Pick after = learner->next();
        EXPECT_FALSE(after.exploring);
        EXPECT_EQ(after.action, 0u);  // the fastest
    }
}

void expect_each_once(std::uint32_t actions, std::uint64_t limit) {
    const auto learner = make_learner({.policy = PolicyKind::explore_first, .steps_limit = limit}, actions, 1);
    for (std::uint32_t i = 0; i < actions; ++i) {
        const Pick pick = learner->next();
        EXPECT_EQ(pick.action, i);
        EXPECT_TRUE(pick.exploring);
        learner->observe(pick, {.loop_time_s = 10.0 - 0.1 * pick.action});
    }
    EXPECT_FALSE(learner->next().exploring);
}

TEST(ExploreFirst, TriesEachActionOnceWherePairsTakeTooLong) {
    expect_each_once(21, 0);  // 441 > 400
    expect_each_once(5, 24);  // 25 > 24
    expect_each_once(5, 6);
    const auto pairs = make_learner({.policy = PolicyKind::explore_first, .steps_limit = 25}, 5, 1);
    for (int i = 0; i < 25; ++i) EXPECT_TRUE(pairs->next().exploring);
    EXPECT_FALSE(pairs->next().exploring);
    const auto twenty = make_policy({.policy = PolicyKind::explore_first}, 20);  // 400 are allowed
    const StubAgent agent(std::vector<double>(20, 0.0));
    const ActionTimes times(20);
    Random random(1);
    for (int i = 0; i < 400; ++i) EXPECT_TRUE(twenty->pick(0, {agent, times}, random).exploring);
    EXPECT_FALSE(twenty->pick(0, {agent, times}, random).exploring);
}

/// How often each action is picked must be what the policy says of itself, within four standard deviations.
void expect_honest_chances(const Parameters& parameters, const std::vector<double>& values, double epsilon) {
    constexpr int kPicks = 40000;
    const std::size_t actions = values.size();
    const StubAgent agent(values);
    const ActionTimes times(actions);
    const Beliefs beliefs{.agent = agent, .times = times, .epsilon = epsilon};
    const auto policy = make_policy(parameters, actions);
    std::vector<double> chances(actions);
    policy->chances(0, beliefs, chances);
    EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1, 1e-12);
    Random random(17);
    std::vector<int> picked(actions);
    for (int i = 0; i < kPicks; ++i) ++picked[policy->pick(0, beliefs, random).action];
    for (std::size_t a = 0; a < actions; ++a) {
        const double deviation = std::sqrt(kPicks * chances[a] * (1 - chances[a]));
        EXPECT_NEAR(picked[a], kPicks * chances[a], 4 * deviation + 1e-6) << "action " << a;
    }
}

TEST(Policies, PickAsOftenAsTheySay) {
    for (const double epsilon : {0.0, 0.1, 0.9, 1.0}) {
        expect_honest_chances({.policy = PolicyKind::epsilon_greedy}, {0, 3, 1, 2}, epsilon);
    }
    for (const double tau : {0.0, 0.5, 1.5}) {
        expect_honest_chances({.policy = PolicyKind::softmax, .tau = tau}, {-1, 0.5, 1, 0}, 0);
    }
}

TEST(EpsilonGreedy, EpsilonIsTheProbabilityToExplore) {
    const StubAgent agent({0, 1, 0});
    const ActionTimes times(3);
    const auto policy = make_policy({.policy = PolicyKind::epsilon_greedy}, 3);
    Random random(3);
    int exploring = 0;
    for (int i = 0; i < 10000; ++i) {
        const Pick decision = policy->pick(0, {agent, times, 0.2}, random);
        if (decision.exploring) ++exploring;
        if (!decision.exploring) {
            ASSERT_EQ(decision.action, 1u);
        }
    }
    EXPECT_NEAR(exploring, 2000, 4 * std::sqrt(10000 * 0.2 * 0.8));
    std::vector<double> chances(3);
    policy->chances(0, {agent, times, 0.3}, chances);
    EXPECT_DOUBLE_EQ(chances[0], 0.1);
    EXPECT_DOUBLE_EQ(chances[1], 0.8);
}

std::vector<double> softmax_chances(double tau, const std::vector<double>& values) {
    const StubAgent agent(values);
    const ActionTimes times(values.size());
    std::vector<double> chances(values.size());
    make_policy({.policy = PolicyKind::softmax, .tau = tau}, values.size())->chances(0, {agent, times}, chances);
    return chances;
}

TEST(Softmax, HigherTauIsGreedier) {
    double last = 0;
    for (const double tau : {0.0, 0.5, 1.5, 5.0}) {
        const std::vector<double> chances = softmax_chances(tau, {1, 0});
        EXPECT_NEAR(chances[0] / chances[1], std::exp(tau), 1e-9 * std::exp(tau));
        EXPECT_GT(chances[0], last);
        last = chances[0];
    }
}

TEST(Softmax, HugeValuesDoNotOverflow) {
    constexpr double kMax = std::numeric_limits<double>::max();
    for (const double tau : {1e-300, 1.5, 1e300, std::numeric_limits<double>::infinity()}) {
        const std::vector<double> chances = softmax_chances(tau, {kMax, -kMax, kMax / 2, -4});
        EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1, 1e-12) << tau;
        if (tau > 1) {
            EXPECT_EQ(chances[0], 1);
        }
    }
    for (const double chance : softmax_chances(0, {kMax, -kMax, 0, 1e300})) EXPECT_DOUBLE_EQ(chance, 0.25);
    const std::vector<double> low = softmax_chances(2, {-1e9, -1e9 - 1});
    EXPECT_NEAR(low[0] / low[1], std::exp(2.0), 1e-6);
}

}  // namespace
