// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/agents/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chain.hpp"
#include "learn/agents/dqn.hpp"
#include "learn/agents/replay.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;
using namespace gimbal::test;

Network random_network(std::size_t actions, std::uint64_t seed) {
    Random random(seed);
    return {actions, std::vector<double>(actions, 0.5), random};
}

TEST(Network, SaysItsBiasBeforeItLearns) {
    const Network network = random_network(5, 1);
    double values[5];
    network.forward(3, values);
    for (std::uint32_t a = 0; a < 5; ++a) {
        EXPECT_EQ(values[a], 0.5);
        EXPECT_EQ(network.value(3, a), 0.5);
    }
}

TEST(Network, DescentMovesTheValueTowardsTheTarget) {
    Network network = random_network(4, 2);
    for (int i = 0; i < 200; ++i) {
        const double error = 2 - network.value(1, 2);
        network.descend(1, 2, error, 0.02);
        ASSERT_LE(std::abs(2 - network.value(1, 2)), std::abs(error) + 1e-12);
    }
    EXPECT_NEAR(network.value(1, 2), 2, 0.05);
}

// What a table can hold, it can: numbers that have nothing to do with each other.
TEST(Network, LearnsATableOfRandomNumbers) {
    constexpr std::uint32_t kActions = 4;
    const Chain chain = random_chain(kActions, 0, 3);
    Network network = random_network(kActions, 4);
    Random random(5);
    for (int i = 0; i < 60000; ++i) {
        const auto s = static_cast<std::uint32_t>(random.between(0, kActions - 1));
        const auto a = static_cast<std::uint32_t>(random.between(0, kActions - 1));
        network.descend(s, a, chain.reward(s, a) - network.value(s, a), 0.03);
    }
    for (std::uint32_t s = 0; s < kActions; ++s) {
        for (std::uint32_t a = 0; a < kActions; ++a) EXPECT_NEAR(network.value(s, a), chain.reward(s, a), 0.02);
    }
}

TEST(Network, CopiesAndScales) {
    Network network = random_network(3, 1);
    for (int i = 0; i < 50; ++i) network.descend(0, 1, 1, 0.02);
    Network other = random_network(3, 99);
    other.copy(network);
    EXPECT_EQ(other.value(0, 1), network.value(0, 1));
    other.scale_outputs(0.25);
    EXPECT_NEAR(other.value(0, 1), network.value(0, 1) / 4, 1e-12);
}

TEST(Replay, ForgetsTheOldestAndDrawsAllOfTheRest) {
    Replay replay(8);
    for (std::uint32_t i = 0; i < 20; ++i) replay.add({.state = i});
    EXPECT_EQ(replay.size(), 8u);
    Random random(1);
    std::vector<int> drawn(20);
    for (int i = 0; i < 2000; ++i) ++drawn[replay.draw(random).state];
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(drawn[i] > 0, i >= 12) << i;
}

// It tells states apart: the best action of each, and what it is worth.
TEST(Dqn, LearnsTheOptimalValues) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Chain chain = random_chain(4, 0.8, seed);
        Random random(seed);
        DqnLearner agent(4, 0.8, Initialiser({}, random), seed);
        learn_uniformly(agent, chain, 100 + seed, 20000);
        EXPECT_LT(distance(table_of(agent, 4), fixed_point(chain, highest)), 0.2) << "seed " << seed;
    }
}

// In units of the largest reward: what counts is the ratio of rewards, not their size.
TEST(Dqn, LearnsTheSameAtAnySizeOfRewards) {
    Chain chain = random_chain(3, 0.5, 5);
    std::vector<std::vector<Row>> tables;
    for (const double size : {1e-6, 1.0, 1e6}) {
        Chain scaled = chain;
        for (double& reward : scaled.rewards) reward *= size;
        Random random(2);
        DqnLearner agent(3, 0.5, Initialiser({}, random), 2);
        learn_uniformly(agent, scaled, 8, 3000);
        std::vector<Row> table = table_of(agent, 3);
        for (Row& row : table) {
            for (double& value : row) value /= size;
        }
        tables.push_back(table);
    }
    EXPECT_LT(distance(tables[0], tables[1]), 1e-3);
    EXPECT_LT(distance(tables[2], tables[1]), 1e-3);
}

TEST(Dqn, StartsWhereItIsTold) {
    Random random(1);
    const Initialiser optimistic({.init = InitKind::optimistic}, random);
    const DqnLearner agent(3, 0.95, optimistic, 1);
    for (const double value : agent.averages()) EXPECT_NEAR(value, 1.2, 1e-12);
}

}  // namespace
