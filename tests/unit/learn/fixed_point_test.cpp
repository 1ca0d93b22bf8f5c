// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of the agents against values that are computed exactly.
#include <gtest/gtest.h>

#include <cmath>

#include "chain.hpp"
#include "learn/agents/tabular_agents.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::test;
using learn::AgentKind;

constexpr std::size_t kActions = 4;
constexpr double kGamma = 0.8;
constexpr int kSteps = 200000;
constexpr double kClose = 0.03;  // of values around 3

std::unique_ptr<learn::Agent> agent_of(AgentKind kind, double gamma) {
    Random random(5);
    return learn::make_agent({.agent = kind, .gamma = gamma}, kActions, random);
}

void expect_converges(AgentKind kind, const std::function<double(const Row&)>& next, double tolerance = kClose) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Chain chain = random_chain(kActions, kGamma, seed);
        const auto agent = agent_of(kind, kGamma);
        learn_uniformly(*agent, chain, 100 + seed, kSteps);
        const std::vector<Row> exact = fixed_point(chain, next);
        EXPECT_LT(distance(table_of(*agent, kActions), exact), tolerance) << "seed " << seed;
        for (std::size_t a = 0; a < kActions; ++a) {
            double sum = 0;
            for (std::size_t s = 0; s < kActions; ++s) sum += exact[s][a];
            EXPECT_NEAR(agent->averages()[a], sum / kActions, tolerance);
        }
    }
}

TEST(FixedPoint, QLearningFindsTheOptimalValues) {
    expect_converges(AgentKind::q, highest);
}

TEST(FixedPoint, DoubleQLearningFindsTheOptimalValues) {
    expect_converges(AgentKind::double_q, highest);
}

// What comes next is drawn, so the values keep some of its noise.
TEST(FixedPoint, SarsaFindsTheValuesOfThePolicyInUse) {
    expect_converges(AgentKind::sarsa, mean, 0.12);
}

TEST(FixedPoint, ExpectedSarsaFindsTheValuesOfThePolicyInUse) {
    expect_converges(AgentKind::expected_sarsa, mean);
}

// V of a state is the mean of its Q under the policy in use; Q follows from V.
TEST(FixedPoint, QvLearningFindsTheValuesOfThePolicyInUse) {
    expect_converges(AgentKind::qv, mean, 0.12);
}

TEST(FixedPoint, TheTwoMeaningsOfNextDiffer) {
    const Chain chain = random_chain(kActions, kGamma, 1);
    EXPECT_GT(distance(fixed_point(chain, highest), fixed_point(chain, mean)), 1);  // so each test above says something
}

/// The highest mean reward of a cycle: the best there is per step. By the largest reward of exactly n steps from s to t
/// (Karp would do with less).
double best_reward_per_step(const Chain& chain) {
    constexpr double kNone = -1e300;
    double best = kNone;
    for (std::size_t start = 0; start < chain.actions; ++start) {
        Row reach(chain.actions, kNone);
        reach[start] = 0;
        for (std::size_t length = 1; length <= chain.actions; ++length) {
            Row further(chain.actions, kNone);
            for (std::size_t s = 0; s < chain.actions; ++s) {
                for (std::size_t a = 0; a < chain.actions; ++a) {
                    further[a] = std::max(further[a], reach[s] + chain.reward(s, a));
                }
            }
            reach = further;
            best = std::max(best, reach[start] / static_cast<double>(length));
        }
    }
    return best;
}

TEST(FixedPoint, RLearningFindsTheBestRewardPerStepAndItsRelativeValues) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Chain chain = random_chain(kActions, 1, seed);
        const auto agent = agent_of(AgentKind::r, 1);
        learn_uniformly(*agent, chain, 100 + seed, kSteps);
        const double exact = best_reward_per_step(chain);
        EXPECT_NEAR(dynamic_cast<const learn::RLearner&>(*agent).average_reward(), exact, kClose);
        const std::vector<Row> q = table_of(*agent, kActions);
        for (std::size_t s = 0; s < kActions; ++s) {
            for (std::size_t a = 0; a < kActions; ++a) {  // the optimality equation of average rewards
                EXPECT_NEAR(q[s][a], chain.reward(s, a) - exact + highest(q[a]), 2 * kClose);
            }
        }
    }
}

// Three steps by hand, with alpha 1/2, gamma 0.8 and lambda 1/2. Deltas: 1; then 2 + 0.8 * 0.5; then 1 + 0.8 * V(0) -
// V(0). State 0 occurs in the first and the third: its trace is 0.4 * 0.4 + 1 by then.
TEST(QvLearner, TracesPassCreditOnAndAddUp) {
    ASSERT_EQ(learn::QvLearner::kLambda, 0.5);
    Random random(1);
    learn::QvLearner agent(2, 0.8, learn::Initialiser({}, random));
    agent.learn({.state = 0, .action = 1, .reward = 1, .alpha = 0.5});
    EXPECT_DOUBLE_EQ(agent.state_value(0), 0.5);
    agent.learn({.state = 1, .action = 0, .reward = 2, .alpha = 0.5});
    EXPECT_DOUBLE_EQ(agent.state_value(1), 1.2);
    EXPECT_DOUBLE_EQ(agent.state_value(0), 0.5 + 0.5 * 2.4 * 0.4);
    EXPECT_DOUBLE_EQ(agent.averages()[1], 0.5 / 2);
    EXPECT_DOUBLE_EQ(agent.averages()[0], 1.2 / 2);
    const double delta = 1 + 0.8 * 0.98 - 0.98;
    agent.learn({.state = 0, .action = 0, .reward = 1, .alpha = 0.5});
    EXPECT_DOUBLE_EQ(agent.state_value(0), 0.98 + 0.5 * delta * (0.4 * 0.4 + 1));
    EXPECT_DOUBLE_EQ(agent.state_value(1), 1.2 + 0.5 * delta * 0.4);
}

// Plain traces that add up diverge here: a state that keeps occurring would move by up to twice its error.
TEST(QvLearner, NeverBelievesMoreThanRewardsCanAddUpTo) {
    for (const double gamma : {0.5, 0.95, 0.999}) {
        for (int period = 2; period < 30; ++period) {
            Random random(1);
            learn::QvLearner agent(2, gamma, learn::Initialiser({}, random));
            for (int t = 0; t < 5000; ++t) {
                const bool stays = t % period != 0;
                agent.learn({.state = t % period == 1 ? 1u : 0u,
                             .action = stays ? 0u : 1u,
                             .reward = stays ? 0.01 : -4.0,
                             .alpha = t < 2500 ? 0.85 : 1});
                ASSERT_LT(std::abs(agent.state_value(0)), 4.1 / (1 - gamma));
                ASSERT_LT(std::abs(agent.state_value(1)), 4.1 / (1 - gamma));
            }
        }
    }
}

// rho moves on steps whose action was a best one in its state, by a tenth of what Q moves by, and on no other.
TEST(RLearner, AveragesGreedyStepsOnly) {
    Random random(1);
    learn::RLearner agent(2, 0, learn::Initialiser({}, random));
    agent.learn({.state = 0, .action = 0, .reward = -1, .alpha = 0.5});  // all zero: greedy
    EXPECT_DOUBLE_EQ(agent.average_reward(), -0.05);
    agent.learn({.state = 0, .action = 0, .reward = -1, .alpha = 0.5});  // worse than action 1 by now
    EXPECT_DOUBLE_EQ(agent.average_reward(), -0.05);
    agent.learn({.state = 0, .action = 1, .reward = -1, .alpha = 0.5});
    EXPECT_DOUBLE_EQ(agent.average_reward(), -0.05 + 0.1 * 0.5 * (-1 + 0.05));
}

}  // namespace
