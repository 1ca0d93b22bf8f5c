// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "gimbal/random.hpp"
#include "learn/learner.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;

constexpr double kGamma = 0.9;
constexpr double kAlpha = 0.5;

Parameters parameters(AgentKind agent, PolicyKind policy) {
    return {.agent = agent,
            .policy = policy,
            .reward = RewardKind::looptime_inverse,
            .gamma = kGamma,
            .alpha = kAlpha,
            .alpha_decay = 0,
            .epsilon = 0.5,
            .epsilon_decay = 0,
            .tau = 0.2,
            .inverse_multiplier = 1};
}

/// Signals that are rewarded with this much.
Signals worth(double reward) {
    return {.loop_time_s = 1 / reward};
}

// Two actions, explored as 0, 1, 1, 0, in states 0, 0, 1, 1.
TEST(Sarsa, UpdatesWithTheActionReallyTakenNext) {
    const auto learner = make_learner(parameters(AgentKind::sarsa, PolicyKind::explore_first), 2, 1);
    const Pick first = learner->next();
    learner->observe(first, worth(1));
    EXPECT_EQ(learner->value(0), 0) << "it is not known yet what is taken next";
    EXPECT_EQ(learner->thought().step, 1u);

    const Pick second = learner->next();  // 0 -> 1: Q(0,0) = 0.5 (1 + 0.9 Q(0,1))
    ASSERT_EQ(second.action, 1u);
    EXPECT_DOUBLE_EQ(learner->value(0), 0.5 / 2);
    learner->observe(second, worth(2));

    const Pick third = learner->next();  // Q(0,1) = 0.5 (2 + 0.9 Q(1,1))
    ASSERT_EQ(third.action, 1u);
    EXPECT_DOUBLE_EQ(learner->value(1), 1.0 / 2);
    learner->observe(third, worth(4));

    const Pick fourth = learner->next();  // Q(1,1) = 0.5 (4 + 0.9 Q(1,0))
    ASSERT_EQ(fourth.action, 0u);
    EXPECT_DOUBLE_EQ(learner->value(1), (1.0 + 2) / 2);
    learner->observe(fourth, worth(1));

    const Pick fifth = learner->next();  // exploits; Q(1,0) = 0.5 (1 + 0.9 Q(0,1)), of which Q(0,0) is no part
    ASSERT_EQ(fifth.action, 1u);
    EXPECT_DOUBLE_EQ(learner->value(0), (0.5 + 0.5 * (1 + 0.9 * 1)) / 2);
}

/// SARSA and Q-learning as they are written down, next to a learner whose picks overlap.
class Reference {
public:
    Reference(AgentKind agent, std::size_t actions) : agent_(agent), q_(actions, std::vector<double>(actions, 0.0)) {}

    void picked(const Pick& pick) {
        actions_.push_back(pick.action);
        for (const auto& [waiting, reward] : waiting_) update(waiting, reward, pick.action);
        waiting_.clear();
    }

    void observed(const Pick& pick, double reward) {
        if (agent_ == AgentKind::q) return update(pick, reward, 0);
        if (pick.number == actions_.size()) {
            waiting_.emplace_back(pick, reward);
        } else {
            update(pick, reward, actions_[pick.number]);  // numbers start at 1: the one after
        }
    }

    [[nodiscard]] double value(std::uint32_t action) const {
        double sum = 0;
        for (const std::vector<double>& row : q_) sum += row[action];
        return sum / static_cast<double>(q_.size());
    }

private:
    void update(const Pick& pick, double reward, std::uint32_t next_action) {
        const std::vector<double>& row = q_[pick.action];
        double next = row[next_action];
        if (agent_ == AgentKind::q) {
            for (const double value : row) next = std::max(next, value);
        }
        double& q = q_[pick.state][pick.action];
        q += kAlpha * (reward + kGamma * next - q);
    }

    AgentKind agent_;
    std::vector<std::vector<double>> q_;
    std::vector<std::uint32_t> actions_;
    std::vector<std::pair<Pick, double>> waiting_;
};

/// Up to so many executions at once, which end in any order or, one in ten, never.
void expect_as_reference(AgentKind agent, PolicyKind policy, std::size_t in_flight) {
    constexpr std::size_t kActions = 4;
    const auto learner = make_learner(parameters(agent, policy), kActions, 9);
    Reference reference(agent, kActions);
    Random random(23);
    std::deque<Pick> running;
    for (int event = 0; event < 4000; ++event) {
        if (running.size() < in_flight && (running.empty() || random.coin())) {
            running.push_back(learner->next());
            reference.picked(running.back());
        } else {
            const auto which = running.begin() + static_cast<std::ptrdiff_t>(random.between(0, running.size() - 1));
            const Pick pick = *which;
            running.erase(which);
            if (random.between(0, 9) == 0) continue;
            const double reward = 0.5 + random.unit();
            learner->observe(pick, worth(reward));
            reference.observed(pick, 1 / (1 / reward));
        }
        for (std::uint32_t a = 0; a < kActions; ++a) ASSERT_NEAR(learner->value(a), reference.value(a), 1e-9) << event;
    }
}

TEST(Sarsa, LearnsAsWrittenWhenPicksOverlapAndEndOutOfOrder) {
    for (const PolicyKind policy : {PolicyKind::epsilon_greedy, PolicyKind::softmax}) {
        for (const std::size_t in_flight : {1u, 2u, 5u}) expect_as_reference(AgentKind::sarsa, policy, in_flight);
    }
}

TEST(QLearning, GivesEachRewardToThePickThatRanWhenPicksOverlap) {
    for (const std::size_t in_flight : {1u, 2u, 5u}) {
        expect_as_reference(AgentKind::q, PolicyKind::epsilon_greedy, in_flight);
    }
}

// Picks without a number, as a replay would hand in, still get an update: with the next action.
TEST(Sarsa, CompletesPicksWithoutANumber) {
    const auto learner = make_learner(parameters(AgentKind::sarsa, PolicyKind::explore_first), 2, 1);
    for (int i = 0; i < 1000; ++i) learner->observe({.state = 1, .action = 1}, worth(1));
    (void)learner->next();
    EXPECT_GT(learner->value(1), 0.4);
}

}  // namespace
