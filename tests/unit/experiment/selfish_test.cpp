// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "experiment/selfish_bound.hpp"
#include "experiment/selfish_learning.hpp"
#include "experiment/selfish_rules.hpp"
#include "experiment/selfish_world.hpp"

namespace gimbal::simulate {
namespace {

/// No other jobs, and a step is five quanta of work for each processor.
SelfishSettings quiet() {
    SelfishSettings settings;
    settings.arrivals = 0;
    return settings;
}

TEST(SelfishWorld, TakesTheWorkTimeWithoutOtherJobs) {
    EXPECT_EQ(run_selfish(quiet(), 1, selfish_rule("even", quiet())), 4 * 5);
    EXPECT_EQ(run_selfish(quiet(), 1, selfish_rule("measured", quiet())), 4 * 5);
    EXPECT_EQ(selfish_bound(quiet(), 1), 4 * 5);
}

TEST(SelfishWorld, ALookAtTheQueuesDelaysTheWorkByFiveQuanta) {
    EXPECT_EQ(run_selfish(quiet(), 1, selfish_rule("boltzmann", quiet())), 4 * (5 + 5));
    EXPECT_EQ(run_selfish(quiet(), 1, selfish_rule("repeat", quiet())), 4 * 5 + 5);
}

/// As train_on_rules() has it, which chooses one for each step.
TEST(SelfishRules, OneMadeAnewForEachStepActsLikeOneForAll) {
    for (const std::string_view name : {"even", "boltzmann", "repeat", "restart"}) {
        const SelfishSettings settings;
        const std::uint32_t anew =
            run_selfish(settings, 1, [&](SelfishWorld& world) { selfish_rule(name, settings)(world); });
        EXPECT_EQ(anew, run_selfish(settings, 1, selfish_rule(name, settings))) << name;
    }
}

TEST(SelfishWorld, ReallocatingDiscardsTheStep) {
    SelfishWorld world(quiet(), 1);
    world.act(SelfishAction::even);
    for (int k = 0; k < 3; ++k) world.act(SelfishAction::nothing);
    EXPECT_NEAR(world.remaining()[0], 5, 1e-12);
    world.act(SelfishAction::repeat);
    EXPECT_NEAR(world.remaining()[0], 20, 1e-12);
    EXPECT_EQ(world.steps_done(), 0);
}

TEST(SelfishWorld, MovingTheRestDiscardsNothing) {
    SelfishWorld world(quiet(), 1);
    world.act(SelfishAction::even);
    const double before = std::accumulate(world.remaining().begin(), world.remaining().end(), 0.0);
    const std::vector<double> shares{0.7, 0.1, 0.1, 0.1};
    world.move_rest(shares);
    EXPECT_NEAR(std::accumulate(world.remaining().begin(), world.remaining().end(), 0.0), before, 1e-9);
    EXPECT_NEAR(world.remaining()[0], 0.7 * before, 1e-9);
}

TEST(SelfishWorld, PaysForEveryActionAndIsRewardedAtTheEndOnly) {
    SelfishWorld world(quiet(), 1);
    double sum = 0;
    while (!world.finished()) sum += world.act(world.at_beginning() ? SelfishAction::even : SelfishAction::nothing);
    EXPECT_NEAR(sum, 1000 - 20, 1e-9);
}

TEST(SelfishWorld, DoingNothingIsStuck) {
    const SelfishSettings settings;
    EXPECT_EQ(run_selfish(settings, 1, [](SelfishWorld& world) { world.act(SelfishAction::nothing); }),
              settings.most_quanta);
}

TEST(SelfishWorld, OtherJobsDoNotDependOnWhatIsDone) {
    const SelfishSettings settings;
    SelfishWorld one(settings, 7), other(settings, 7);
    for (int k = 0; k < 50; ++k) {
        one.act(SelfishAction::nothing);
        other.act(k % 3 == 0 ? SelfishAction::even : SelfishAction::nothing);
        EXPECT_TRUE(std::equal(one.queues().begin(), one.queues().end(), other.queues().begin()));
    }
}

TEST(SelfishWorld, QueuesHaveTheMeanOfTheirArrivals) {
    Random random(3);
    double sum = 0;
    for (int k = 0; k < 20000; ++k) sum += next_queue(0, 0.3, 1e9, random);
    EXPECT_NEAR(sum / 20000, 0.3, 0.02);
}

TEST(SelfishRules, NoneIsQuickerThanTheBound) {
    const SelfishSettings settings;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (const std::string_view name : selfish_rule_names())
            EXPECT_GE(run_selfish(settings, seed, selfish_rule(name, settings)), selfish_bound(settings, seed)) << name;
}

/// Arrivals beyond what is served: queues of over 745 jobs, whose e^-r is 0.
TEST(SelfishRules, AllAreStuckWhereJobsComeFasterThanTheyAreServed) {
    for (const double arrivals : {1.0, 3.0, 10.0}) {
        SelfishSettings settings;
        settings.arrivals = arrivals;
        settings.most_quanta = 2000;
        for (const std::string_view name : selfish_rule_names())
            EXPECT_EQ(run_selfish(settings, 1, selfish_rule(name, settings)), 2000) << name << " at " << arrivals;
        EXPECT_EQ(selfish_bound(settings, 1), 2000) << arrivals;
    }
}

TEST(SelfishWorld, SharesAddUpHoweverLongTheQueuesAre) {
    SelfishSettings settings;
    settings.arrivals = 10;
    SelfishWorld world(settings, 1);
    std::vector<double> shares(settings.processors);
    for (const double beta : {0.0, 0.7, 1.0, 100.0}) {
        world.boltzmann_shares(shares, beta);
        for (const double share : shares) EXPECT_GE(share, 0) << beta;
        EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9) << beta;
    }
}

TEST(SelfishLearning, AConstantRateDivergesAndTheSigmoidStaysBounded) {
    const SelfishSettings settings;
    SelfishTraining training;
    training.epochs = training.test_every = 60;
    training.tests = 1;
    training.update = SelfishUpdate::constant;
    EXPECT_FALSE(train_selfish(settings, training, 1).largest.back() < 1e6);
    training.update = SelfishUpdate::squashed;
    EXPECT_LT(train_selfish(settings, training, 1).largest.back(), 1e4);
}

TEST(SelfishLearning, TheSameSeedLearnsTheSame) {
    const SelfishSettings settings;
    SelfishTraining training;
    training.epochs = 20;
    training.tests = 3;
    const SelfishOutcome one = train_selfish(settings, training, 5), other = train_selfish(settings, training, 5);
    EXPECT_EQ(one.median, other.median);
    EXPECT_EQ(one.largest, other.largest);
}

TEST(SelfishPlan, WithoutOtherJobsItAllocatesEvenlyAndThenLetsItRun) {
    SelfishSettings settings = quiet();
    settings.processors = 2;
    settings.steps = 2;
    const SelfishPlan plan(settings);
    EXPECT_NEAR(plan.expected(), 2 * 5, 0.01);
    EXPECT_EQ(run_selfish(settings, 1, [&](SelfishWorld& world) { world.act(plan.best(world)); }), 10);
}

}  // namespace
}  // namespace gimbal::simulate
