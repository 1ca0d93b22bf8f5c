// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/learner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <vector>

#include "allocations.hpp"
#include "gimbal/random.hpp"
#include "learn/names.hpp"
#include "learn/parameters.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;
using gimbal::test::allocations;

void for_all(const std::function<void(const Parameters&)>& check) {
    for (std::size_t agent = 0; agent < kAgentWords.size(); ++agent) {
        for (std::size_t policy = 0; policy < kPolicyWords.size(); ++policy) {
            SCOPED_TRACE(std::string(kAgentWords[agent]) + " " + std::string(kPolicyWords[policy]));
            check({.agent = static_cast<AgentKind>(agent), .policy = static_cast<PolicyKind>(policy)});
        }
    }
}

/// A loop whose third action is fastest.
Signals signals_of(const Pick& pick) {
    const std::uint32_t away = pick.action > 2 ? pick.action - 2 : 2 - pick.action;
    return {.loop_time_s = 1 + 0.3 * away};
}

std::vector<std::uint32_t> actions_of(const Parameters& parameters, std::uint64_t seed, int steps) {
    const auto learner = make_learner(parameters, 5, seed);
    std::vector<std::uint32_t> actions;
    for (int t = 0; t < steps; ++t) {
        const Pick pick = learner->next();
        actions.push_back(pick.action);
        learner->observe(pick, signals_of(pick));
    }
    return actions;
}

TEST(Learner, IsReproducibleFromItsSeed) {
    for_all([](const Parameters& parameters) {
        EXPECT_EQ(actions_of(parameters, 7, 300), actions_of(parameters, 7, 300));
        if (parameters.policy != PolicyKind::explore_first) {
            EXPECT_NE(actions_of(parameters, 7, 300), actions_of(parameters, 8, 300));
        }
    });
}

TEST(Learner, StateIsTheActionPickedBefore) {
    for_all([](const Parameters& parameters) {
        const auto learner = make_learner(parameters, 5, 3);
        std::uint32_t last = 0;
        for (std::uint64_t t = 1; t <= 100; ++t) {
            const Pick pick = learner->next();
            ASSERT_EQ(pick.state, last);
            ASSERT_LT(pick.action, 5u);
            ASSERT_EQ(pick.number, t);
            last = pick.action;
            if (t % 3 != 0) learner->observe(pick, signals_of(pick));
        }
    });
}

TEST(Learner, WithOneActionTakesIt) {
    for_all([](const Parameters& parameters) {
        const auto learner = make_learner(parameters, 1, 3);
        for (int t = 0; t < 50; ++t) {
            const Pick pick = learner->next();
            ASSERT_EQ(pick.action, 0u);
            learner->observe(pick, {.loop_time_s = 1});
        }
        EXPECT_EQ(learner->best(), 0u);
        EXPECT_TRUE(std::isfinite(learner->value(0)));
    });
}

TEST(Learner, AllocatesNothingAfterItWasMade) {
    for_all([](const Parameters& parameters) {
        const auto learner = make_learner(parameters, 12, 3);
        std::vector<Pick> late;
        late.reserve(10000);
        const std::size_t before = allocations();
        for (int t = 0; t < 10000; ++t) {
            const Pick pick = learner->next();
            if (t % 5 == 0) {
                late.push_back(pick);  // some come long after, some never
            } else {
                learner->observe(pick, signals_of(pick));
            }
        }
        for (std::size_t i = 0; i < late.size() / 2; ++i) learner->observe(late[i], signals_of(late[i]));
        EXPECT_EQ(allocations(), before);
        for (std::uint32_t a = 0; a < 12; ++a) EXPECT_TRUE(std::isfinite(learner->value(a)));
    });
    const std::size_t before = allocations();
    ::operator delete(::operator new(1));  // which no compiler may leave out
    EXPECT_GT(allocations(), before);      // it does count
}

TEST(Learner, SaysWhatItLearntFrom) {
    const Parameters parameters{.policy = PolicyKind::epsilon_greedy};
    const auto learner = make_learner(parameters, 4, 3);
    EXPECT_EQ(learner->thought().step, 0u);
    for (std::uint64_t t = 0; t < 50; ++t) {
        const Pick pick = learner->next();
        learner->observe(pick, signals_of(pick));
        const Thought thought = learner->thought();
        EXPECT_EQ(thought.step, t + 1);
        EXPECT_EQ(thought.state, pick.state);
        EXPECT_EQ(thought.action, pick.action);
        EXPECT_EQ(thought.signal, signals_of(pick).loop_time_s);
        EXPECT_DOUBLE_EQ(thought.alpha, decayed(DecayKind::exponential, 0.85, 0.01, 0.1, t));
        EXPECT_DOUBLE_EQ(thought.epsilon, decayed(DecayKind::exponential, 0.9, 0.01, 0.1, t));
        EXPECT_TRUE(thought.reward == 0.01 || thought.reward == -2 || thought.reward == -4);
    }
}

TEST(Learner, LearnsNothingFromWhatWasNotMeasured) {
    for_all([](Parameters parameters) {
        parameters.reward = RewardKind::ips;
        const auto learner = make_learner(parameters, 3, 3);
        for (const double rate : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
            learner->observe(learner->next(), {.loop_time_s = 1, .instructions_per_second = rate});
        }
        (void)learner->next();
        EXPECT_EQ(learner->thought().step, 0u);
        for (std::uint32_t a = 0; a < 3; ++a) EXPECT_EQ(learner->value(a), 0);
    });
}

// All equal by the reward: the clock decides, and what never ran comes last although it looks no worse.
TEST(Learner, BreaksTiesByTimeAndPutsTheUntriedLast) {
    const auto learner = make_learner({.reward = RewardKind::cov, .rewards = {0, 0, 0}}, 4, 1);
    learner->observe({.state = 0, .action = 3}, {.loop_time_s = 2});
    EXPECT_EQ(learner->best(), 3u);
    learner->observe({.state = 0, .action = 1}, {.loop_time_s = 1});
    EXPECT_EQ(learner->best(), 1u);
    learner->observe({.state = 0, .action = 1}, {.loop_time_s = 5});
    EXPECT_EQ(learner->best(), 3u);
}

// With zeros for a start and rewards below, what never ran has the highest value; but nobody has seen it run.
TEST(Learner, BestHasRunIfAnythingHas) {
    const auto learner = make_learner({.rewards = {-1, -2, -4}}, 4, 1);
    EXPECT_EQ(learner->best(), 0u);
    learner->observe({.state = 0, .action = 2}, {.loop_time_s = 1});
    EXPECT_LT(learner->value(2), learner->value(0));
    EXPECT_EQ(learner->best(), 2u);
}

// Two states, and in each another action is right: an average over the states would tell nothing.
TEST(Learner, WithStatesOfTheOwnerTheBestActionIsThatOfTheState) {
    for (const std::string_view word : kAgentWords) {
        const Parameters parameters{
            .agent = *agent_of(word), .policy = PolicyKind::epsilon_greedy, .gamma = 0, .rewards = {1, 0, -1}};
        const auto learner = make_learner(parameters, 3, 5, 2);
        int right = 0;
        for (int t = 0; t < 3000; ++t) {
            const std::uint32_t state = static_cast<std::uint32_t>(t) % 2;
            const Pick pick = learner->next_in(state);
            ASSERT_EQ(pick.state, state);
            learner->observe(pick, {.loop_time_s = pick.action == 2 * state ? 1.0 : 2.0}, 1 - state);
            if (t >= 2000 && pick.action == 2 * state) ++right;
        }
        EXPECT_GT(right, 850) << word << ": one step in ten explores";
    }
}

TEST(StepsLimit, KeepsTheBestFromThenOn) {
    for_all([](Parameters parameters) {
        parameters.steps_limit = 300;
        const auto learner = make_learner(parameters, 5, 3);
        for (int t = 0; t < 300; ++t) {
            const Pick pick = learner->next();
            learner->observe(pick, signals_of(pick));
        }
        const Thought last = learner->thought();
        std::uint32_t kept = 0;
        for (int t = 0; t < 200; ++t) {
            const Pick pick = learner->next();
            if (t == 0) kept = pick.action;
            ASSERT_EQ(pick.action, kept);
            ASSERT_FALSE(pick.exploring);
            learner->observe(pick, {.loop_time_s = 100});  // as bad as can be, and of no consequence
        }
        EXPECT_EQ(learner->best(), kept);
        EXPECT_EQ(learner->thought().step, last.step);
        if (parameters.agent == AgentKind::q) {
            EXPECT_EQ(kept, 2u);
        }
    });
}

// What ran was worth less than nothing, and what never ran stands at nothing.
TEST(StepsLimit, WithStatesOfTheOwnerKeepsNothingThatNeverRan) {
    const Parameters parameters{.policy = PolicyKind::epsilon_greedy, .rewards = {-1, -2, -3}, .steps_limit = 2};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto learner = make_learner(parameters, 5, seed, 2);
        std::vector<bool> ran(5);
        for (std::uint32_t t = 0; t < 2; ++t) {
            const Pick pick = learner->next_in(t);
            ran[pick.action] = true;
            learner->observe(pick, {.loop_time_s = 1.0 + t}, 1 - t);
        }
        EXPECT_TRUE(ran[learner->next_in(0).action]);
        EXPECT_TRUE(ran[learner->next_in(1).action]);
    }
}

TEST(StepsLimit, ZeroIsNone) {
    const auto learner = make_learner({.policy = PolicyKind::epsilon_greedy, .epsilon_decay = 0}, 5, 3);
    int exploring = 0;
    for (int t = 0; t < 5000; ++t) {
        const Pick pick = learner->next();
        if (t >= 4000 && pick.exploring) ++exploring;
        learner->observe(pick, signals_of(pick));
    }
    EXPECT_NEAR(exploring, 900, 4 * std::sqrt(1000 * 0.9 * 0.1));
}

}  // namespace
