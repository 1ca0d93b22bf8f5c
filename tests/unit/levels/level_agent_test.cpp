// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/level_agent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "learn/names.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::levels;

constexpr PairTable kTable{3, 4};
constexpr Pair kBest{2, 1};

/// Which technique of the threads is good depends on that of the ranks.
double time_of(Pair pair) {
    if (pair == kBest) return 1e7;
    return 1e7 * (1.2 + 0.1 * std::abs(2.0 - pair.ranks) + (pair.threads == 3 && pair.ranks != 2 ? 0 : 0.1));
}

PairRecord record_of(Pair pair) {
    return {.time = time_of(pair), .rank_balance = 0.9, .thread_balance = 0.8, .iterations = 100};
}

learn::Parameters parameters(learn::AgentKind agent) {
    return {.agent = agent, .policy = learn::PolicyKind::epsilon_greedy, .gamma = 0.5, .epsilon_decay = 0.02};
}

TEST(LevelAgent, OneLevelChangesAtATimeWhateverTheAgent) {
    for (const std::string_view word : learn::kAgentWords) {
        LevelAgent agent(kTable, {0, 0}, {.agent = *learn::agent_of(word)}, 3, 1e-9);
        Pair last{0, 0};
        std::set<std::size_t> ran;
        for (int i = 0; i < 300; ++i) {
            const PairTurn turn = agent.next();
            EXPECT_FALSE(turn.pair.ranks != last.ranks && turn.pair.threads != last.threads) << word;
            agent.learn(turn, record_of(turn.pair));
            ran.insert(kTable.index(turn.pair));
            last = turn.pair;
        }
        EXPECT_EQ(ran.size(), kTable.size()) << word << ": every action after every other";
        EXPECT_EQ(agent.fastest(), kBest) << word;
    }
}

TEST(LevelAgent, TheActionDependsOnThePairInForce) {
    // The best pair is two actions away from the first one; which of them is next depends on the pair in force.
    for (const auto kind : {learn::AgentKind::q, learn::AgentKind::sarsa, learn::AgentKind::expected_sarsa}) {
        LevelAgent agent(kTable, {0, 0}, parameters(kind), 11, 1e-9);
        int best = 0;
        for (int i = 0; i < 4000; ++i) {
            const PairTurn turn = agent.next();
            agent.learn(turn, record_of(turn.pair));
            if (i >= 3000 && turn.pair == kBest) ++best;
        }
        EXPECT_GT(best, 700) << "epsilon is 0.1: nearly all other steps are the best pair's";
    }
}

TEST(LevelAgent, WhatItExploresEndsAtTwiceTheFastestAndRunsOnAsThat) {
    LevelAgent agent(kTable, {0, 0}, {}, 5, 1e-9);
    EXPECT_EQ(agent.next().limit, std::numeric_limits<double>::infinity()) << "nothing is known yet";
    for (int i = 0; i < 60; ++i) {
        const PairTurn turn = agent.next();
        if (std::isfinite(turn.limit)) {
            EXPECT_TRUE(turn.trial);
            EXPECT_DOUBLE_EQ(turn.limit, 2 * time_of(turn.rest));
        }
        agent.learn(turn, record_of(turn.pair));
    }
}

TEST(LevelAgent, TurnsMayOverlapAndEachTeachesItsOwnAction) {
    LevelAgent agent(kTable, {0, 0}, {.reward = learn::RewardKind::loadimbalance}, 5, 1e-9);
    PairTurn before = agent.next();
    for (int i = 0; i < 100; ++i) {
        const PairTurn turn = agent.next();
        agent.learn(before, record_of(before.pair));
        const learn::Thought thought = agent.thought();
        EXPECT_EQ(thought.step, static_cast<std::uint64_t>(i) + 1);
        const bool of_ranks = thought.action < kTable.ranks;
        EXPECT_EQ(of_ranks ? thought.action : thought.action - kTable.ranks,
                  of_ranks ? before.pair.ranks : before.pair.threads);
        EXPECT_NEAR(thought.signal, of_ranks ? 1 / 0.9 - 1 : 1 / 0.8 - 1, 1e-9) << "each level has its own balance";
        before = turn;
    }
}

TEST(LevelAgent, TheStateSaysWhichLossDominates) {
    LevelAgent agent(kTable, {1, 2}, {}, 5, 1e-9);
    for (int i = 0; i < 20; ++i) {
        const bool within = i % 2 == 0;
        const PairTurn turn = agent.next();
        if (i > 0) {
            agent.learn(turn, {.time = 1, .rank_balance = within ? 0.9 : 0.5, .thread_balance = 0.7, .iterations = 1});
            EXPECT_EQ(agent.thought().state % 2, i > 1 && !within ? 1U : 0U) << i;
        }
    }
}

}  // namespace
