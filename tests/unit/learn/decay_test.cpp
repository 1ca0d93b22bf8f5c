// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "learn/agents/tabular_agents.hpp"
#include "learn/initialiser.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;

TEST(Decay, StartsAtTheStartNeverRisesAndStopsAtTheMinimum) {
    for (const DecayKind kind : {DecayKind::exponential, DecayKind::step, DecayKind::harmonic}) {
        EXPECT_EQ(decayed(kind, 0.85, 0.01, 0.1, 0), 0.85);
        double last = 0.85;
        for (std::uint64_t t = 1; t < 500; ++t) {
            const double now = decayed(kind, 0.85, 0.01, 0.1, t);
            ASSERT_LE(now, last);
            ASSERT_GE(now, 0.1);
            last = now;
        }
        EXPECT_EQ(last, 0.1);
        EXPECT_EQ(decayed(kind, 0.85, 0.01, 0.1, ~std::uint64_t{0}), 0.1);
    }
}

TEST(Decay, FollowsItsFormula) {
    EXPECT_DOUBLE_EQ(decayed(DecayKind::exponential, 0.85, 0.01, 0.1, 50), 0.85 * std::exp(-0.5));
    EXPECT_DOUBLE_EQ(decayed(DecayKind::step, 0.85, 0.01, 0.1, 50), 0.35);
    EXPECT_DOUBLE_EQ(decayed(DecayKind::harmonic, 0.001, 0, 0, 0), 0.001);
    EXPECT_DOUBLE_EQ(decayed(DecayKind::harmonic, 0.001, 0, 0, 249), 0.001 / 250);
}

TEST(Decay, LeavesAStartBelowTheMinimumAlone) {
    for (const DecayKind kind : {DecayKind::exponential, DecayKind::step, DecayKind::harmonic}) {
        EXPECT_EQ(decayed(kind, 0.05, 0.01, 0.1, 0), 0.05);
        EXPECT_EQ(decayed(kind, 0.05, 0.01, 0.1, 100), 0.05);
    }
}

TEST(Decay, RateZeroKeepsTheStart) {
    EXPECT_EQ(decayed(DecayKind::exponential, 0.9, 0, 0.1, 1000000), 0.9);
    EXPECT_EQ(decayed(DecayKind::step, 0.9, 0, 0.1, 1000000), 0.9);
}

TEST(Initialiser, ZeroIsZero) {
    Random random(1);
    Initialiser initial({.init = InitKind::zero}, random);
    QTable table(5, initial);
    for (std::uint32_t s = 0; s < 5; ++s) {
        for (const double value : table.row(s)) EXPECT_EQ(value, 0);
    }
}

TEST(Initialiser, RandomFillsTheRangeOfTheRewards) {
    Random random(1);
    Initialiser initial({.init = InitKind::random, .rewards = {0.01, -2, -4}}, random);
    std::set<double> values;
    for (int i = 0; i < 1000; ++i) {
        const double value = initial();
        ASSERT_GE(value, -4);
        ASSERT_LE(value, 0.01);
        values.insert(value);
    }
    EXPECT_GT(values.size(), 990u);
    EXPECT_LT(*values.begin(), -3.9);
    EXPECT_GT(*values.rbegin(), -0.1);
}

// No discounted sum of rewards of the triple reaches it.
TEST(Initialiser, OptimisticIsAboveAllThatCanBeEarned) {
    Random random(1);
    for (const double good : {0.01, 0.0, -1.0, 4.0}) {
        for (const double gamma : {0.0, 0.5, 0.95, 0.99}) {
            Initialiser initial({.init = InitKind::optimistic, .gamma = gamma, .rewards = {good, -2, -4}}, random);
            EXPECT_GT(initial(), good);
            EXPECT_GT(initial(), good / (1 - gamma));
        }
        Initialiser undiscounted({.init = InitKind::optimistic, .gamma = 1, .rewards = {good, -2, -4}}, random);
        EXPECT_TRUE(std::isfinite(undiscounted()));
        EXPECT_GT(undiscounted(), good);
    }
}

TEST(QTable, AveragesOverStatesWhateverIsSet) {
    Random random(3);
    Initialiser initial({.init = InitKind::random}, random);
    constexpr std::uint32_t kActions = 7;
    QTable table(kActions, initial);
    for (int i = 0; i < 2000; ++i) {
        table.set(static_cast<std::uint32_t>(random.between(0, kActions - 1)),
                  static_cast<std::uint32_t>(random.between(0, kActions - 1)), 1e6 * random.unit());
    }
    for (std::uint32_t a = 0; a < kActions; ++a) {
        double sum = 0;
        for (std::uint32_t s = 0; s < kActions; ++s) sum += table.at(s, a);
        EXPECT_DOUBLE_EQ(table.averages()[a], sum / kActions);
    }
}

}  // namespace
