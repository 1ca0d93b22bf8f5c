// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "decide/estimators.hpp"
#include "scripted.hpp"

namespace gimbal::pin {
namespace {

Settings learner(EstimatorKind estimator, OptimiserKind optimiser = OptimiserKind::rl) {
    Settings settings;
    settings.resources = {{Level::core, Criterion::speed, estimator, optimiser, 1}};
    return settings;
}

double sum(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Share of the last 500 of 1500 ticks on the better of two cores, over many seeds; the first core is the worse one.
double share_on_the_better(const Settings& settings, double worse) {
    double share = 0;
    constexpr int kSeeds = 40;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        ScriptedLevel level(settings, 2, seed);
        const auto speed = [&](std::uint64_t, std::size_t core) { return core == 1 ? 1.0 : worse; };
        level.run(1000, speed);
        const std::uint64_t before = level.visits(1);
        level.run(500, speed);
        share += static_cast<double>(level.visits(1) - before) / 500;
    }
    return share / kSeeds;
}

TEST(PinAutomaton, ConcentratesOnTheBetterOfTwoCores) {
    EXPECT_GT(share_on_the_better(learner(EstimatorKind::rl), 0.3), 0.85);
    EXPECT_GT(share_on_the_better(learner(EstimatorKind::apla), 0.3), 0.9);
}

TEST(PinAutomaton, StartsUniformOrOnTheFirstPlacement) {
    const auto estimator = make_estimator(EstimatorKind::rl, {});
    estimator->reset(4, 4, 0.98);
    for (const double weight : estimator->strategy()) EXPECT_DOUBLE_EQ(weight, 0.25);
    estimator->reset(4, 2, 0.98);
    EXPECT_DOUBLE_EQ(estimator->strategy()[2], 0.98);
    EXPECT_NEAR(sum(estimator->strategy()), 1, 1e-12);
    estimator->reset(1, 0, 0.98);
    EXPECT_DOUBLE_EQ(estimator->strategy()[0], 1);
}

TEST(PinAutomaton, TheStepIsEpsilonTimesUtilityOverItsMean) {
    const auto estimator = make_estimator(EstimatorKind::rl, {});
    estimator->reset(2, 2, 0);
    estimator->observe(0, 5e9, 10e9);  // e = 0.3 * 0.5
    EXPECT_NEAR(estimator->strategy()[0], 0.5 + 0.15 * 0.5, 1e-12);
    estimator->observe(0, 1e12, 1e9);  // e = min(1, 300)
    EXPECT_NEAR(estimator->strategy()[0], 1, 1e-12);
}

TEST(PinAutomaton, TheUnitOfSpeedDoesNotMatter) {
    const auto small = make_estimator(EstimatorKind::apla, {});
    const auto large = make_estimator(EstimatorKind::apla, {});
    small->reset(3, 0, 0.9);
    large->reset(3, 0, 0.9);
    for (int i = 1; i < 50; ++i) {
        small->observe(static_cast<std::size_t>(i % 3), 1.0 / i, 0.5);
        large->observe(static_cast<std::size_t>(i % 3), 1e9 / i, 0.5e9);
    }
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(small->strategy()[c], large->strategy()[c], 1e-9);
}

TEST(PinAutomaton, StaysAProbabilityWhateverItIsTold) {
    for (const EstimatorKind kind : {EstimatorKind::rl, EstimatorKind::apla, EstimatorKind::al}) {
        const auto estimator = make_estimator(kind, {});
        estimator->reset(5, 0, 0.98);
        Random random(1);
        for (int i = 0; i < 100000; ++i) {
            estimator->observe(random.next() % 5, random.unit() * 3, random.unit());
            if (i % 1000 == 0) estimator->observe(1, std::nan(""), 1);
            if (i % 1000 == 1) estimator->observe(1, 1, 0);
            if (i % 1000 == 2) estimator->observe(1, -1, 1);
        }
        EXPECT_NEAR(sum(estimator->strategy()), 1, 1e-9);
        for (const double weight : estimator->strategy()) EXPECT_GE(weight, 0);
    }
}

TEST(PinAutomaton, WhatDoesNotTeachChangesNothing) {
    const auto estimator = make_estimator(EstimatorKind::rl, {});
    estimator->reset(2, 0, 0.7);
    for (const double nothing : {0.0, -1.0, std::nan("")}) estimator->observe(1, nothing, 1);
    estimator->observe(1, 1, 0);
    EXPECT_DOUBLE_EQ(estimator->strategy()[0], 0.7);
    EXPECT_TRUE(std::isnan(estimator->values()[1]));
}

/// PaRLSched's max(h, 1 + (u - rho) / h) does nothing at its own h = 1 and divides by zero at h = 0.
TEST(PinApla, PhiIsOneWhenContentFallsWithDisappointmentAndStaysAboveItsFloor) {
    EXPECT_DOUBLE_EQ(AutomatonEstimator::phi(1, 1, 0.1, 0.5), 1);
    EXPECT_DOUBLE_EQ(AutomatonEstimator::phi(2, 1, 0.1, 0.5), 1);
    EXPECT_DOUBLE_EQ(AutomatonEstimator::phi(0.99, 1, 0.1, 0.5), 1);
    EXPECT_NEAR(AutomatonEstimator::phi(0.75, 1, 0.1, 0.5), 0.5, 1e-12);
    EXPECT_DOUBLE_EQ(AutomatonEstimator::phi(0.1, 1, 0.1, 0.5), 0.1);
    EXPECT_DOUBLE_EQ(AutomatonEstimator::phi(0.1, 1, 1, 0.5), 1);
    EXPECT_GT(AutomatonEstimator::phi(1e-300, 1, 1e-6, 1e-6), 0);
}

TEST(PinApla, ReinforcesADisappointmentLessThanRlDoes) {
    const auto rl = make_estimator(EstimatorKind::rl, {});
    const auto apla = make_estimator(EstimatorKind::apla, {});
    rl->reset(2, 2, 0);
    apla->reset(2, 2, 0);
    rl->observe(0, 0.6, 1);
    apla->observe(0, 0.6, 1);
    EXPECT_LT(apla->strategy()[0], rl->strategy()[0]);
    EXPECT_GT(apla->strategy()[0], 0.5);
}

TEST(PinAlEstimator, PlaysTheBestOfWhatItHasSeen) {
    const auto estimator = make_estimator(EstimatorKind::al, {});
    estimator->reset(3, 3, 0);
    estimator->observe(0, 1, 1);
    EXPECT_DOUBLE_EQ(estimator->strategy()[0], 1);
    estimator->observe(2, 2, 1);
    EXPECT_DOUBLE_EQ(estimator->strategy()[2], 1);
    EXPECT_TRUE(std::isnan(estimator->values()[1]));
}

TEST(PinPairs, EveryEstimatorGoesWithEveryOptimiserAndFindsABetterCore) {
    for (const EstimatorKind estimator : {EstimatorKind::rl, EstimatorKind::apla, EstimatorKind::al}) {
        for (const OptimiserKind optimiser : {OptimiserKind::rl, OptimiserKind::al}) {
            Settings settings = learner(estimator, optimiser);
            settings.al_lambda = 0.02;
            EXPECT_GT(share_on_the_better(settings, 0.3), 0.75)
                << static_cast<int>(estimator) << '/' << static_cast<int>(optimiser);
        }
    }
}

TEST(PinAutomaton, OneCoreIsKept) {
    Settings settings = learner(EstimatorKind::rl);
    settings.rl_lambda = 1;
    ScriptedLevel level(settings, 1, 1);
    EXPECT_TRUE(level.run(100, [](std::uint64_t, std::size_t) { return 1.0; }).empty());
}

TEST(PinAutomaton, ExploresAtLambdaAndIncludesTheCurrentCore) {
    Settings settings = learner(EstimatorKind::rl);
    settings.rl_lambda = 0.004;
    settings.sure = 1;
    settings.rl_step = 1;
    ScriptedLevel level(settings, 4, 3);
    const std::vector<Why> moves = level.run(100000, [](std::uint64_t, std::size_t) { return 1.0; });
    EXPECT_NEAR(static_cast<double>(moves.size()), 100000 * 0.004 * 0.75, 60);
}

}  // namespace
}  // namespace gimbal::pin
