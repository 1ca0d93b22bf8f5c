// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/agents/tabular_agents.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace gimbal;
using namespace gimbal::learn;

DoubleQLearner learner(std::size_t actions, double gamma, std::uint64_t seed) {
    Random random(seed);
    return {actions, gamma, Initialiser({}, random), seed};
}

TEST(DoubleQ, EveryStepChangesOneTableAndTheCoinIsFair) {
    constexpr int kSteps = 20000;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        DoubleQLearner agent = learner(2, 0, seed);
        int first = 0;
        int changes_of_side = 0;
        bool last = false;
        for (int t = 1; t <= kSteps; ++t) {
            const double before[] = {agent.table(0).at(0, 1), agent.table(1).at(0, 1)};
            agent.learn({.state = 0, .action = 1, .reward = static_cast<double>(t), .alpha = 1});
            const bool changed_first = agent.table(0).at(0, 1) != before[0];
            ASSERT_NE(changed_first, agent.table(1).at(0, 1) != before[1]);
            if (changed_first) ++first;
            if (changed_first != last) ++changes_of_side;
            last = changed_first;
        }
        const double four_deviations = 4 * std::sqrt(kSteps) / 2;
        EXPECT_NEAR(first, kSteps / 2, four_deviations);
        EXPECT_NEAR(changes_of_side, kSteps / 2, four_deviations);  // and it does not just alternate
    }
}

// Each update: the learning table's argmax, the other's value of it.
TEST(DoubleQ, LearnsFromTheOthersValueOfItsOwnBestAction) {
    constexpr double kGamma = 0.9;
    constexpr std::size_t kActions = 3;
    DoubleQLearner agent = learner(kActions, kGamma, 7);
    Random random(11);
    int disagreed = 0;
    for (int t = 0; t < 3000; ++t) {
        const DoubleQLearner before = agent;
        const auto state = static_cast<std::uint32_t>(random.between(0, kActions - 1));
        const auto action = static_cast<std::uint32_t>(random.between(0, kActions - 1));
        const double reward = 2 * random.unit() - 1;
        agent.learn({.state = state, .action = action, .reward = reward, .alpha = 0.3});
        const std::size_t learnt = agent.table(0).at(state, action) != before.table(0).at(state, action) ? 0 : 1;
        const QTable& own = before.table(learnt);
        const QTable& other = before.table(1 - learnt);
        const double target = reward + kGamma * other.at(action, own.best(action));
        const double old = own.at(state, action);
        ASSERT_NEAR(agent.table(learnt).at(state, action), old + 0.3 * (target - old), 1e-12);
        if (other.best(action) != own.best(action)) ++disagreed;
        double row[kActions];
        agent.row(state, row);
        ASSERT_NEAR(row[action], (agent.table(0).at(state, action) + agent.table(1).at(state, action)) / 2, 1e-12);
    }
    EXPECT_GT(disagreed, 100);  // otherwise any argmax would have done
}

}  // namespace
