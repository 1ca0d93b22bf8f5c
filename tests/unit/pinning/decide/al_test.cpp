// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/optimisers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scripted.hpp"

namespace gimbal::pin {
namespace {

/// Aspiration learning by the seed's letter, decisions at every sample.
Settings literal() {
    Settings settings;
    settings.resources = {{Level::node, Criterion::speed, EstimatorKind::al, OptimiserKind::al, 1}};
    settings.al_lambda = 0;
    settings.al_seek = 0;
    settings.al_directed = false;
    settings.al_dwell = 0;
    settings.al_moves = 0;
    return settings;
}

std::ptrdiff_t drops(const std::vector<Why>& moves) {
    return std::count(moves.begin(), moves.end(), Why::dropped);
}

/// Full speed everywhere but on one choice from a tick on.
auto drop_at(std::uint64_t tick, std::size_t where, double to) {
    return [=](std::uint64_t now, std::size_t choice) { return now >= tick && choice == where ? to : 1.0; };
}

TEST(PinAspiration, AStepDropLeadsToOnePromptMoveAndNoStorm) {
    ScriptedLevel level(literal(), 4, 1);
    EXPECT_TRUE(level.run(200, drop_at(200, 0, 0.5)).empty());
    const std::vector<Why> moves = level.run(1000, drop_at(200, 0, 0.5));
    EXPECT_EQ(drops(moves), 1);
    EXPECT_NE(level.current(), 0u);
    EXPECT_LE(level.last_move(), 205u);  // ln((0.8 - 0.5) / 0.5) / ln 0.9 = 4.8 samples
}

TEST(PinAspiration, ADropEverywhereFiresAHandfulOfTimesAndThenItStays) {
    ScriptedLevel level(literal(), 4, 2);
    const auto speed = [](std::uint64_t now, std::size_t) { return now < 100 ? 1.0 : 0.5; };
    EXPECT_LE(drops(level.run(2000, speed)), 10);
    EXPECT_LT(level.last_move(), 160u);
}

TEST(PinAspiration, DwellMakesItTwoOrThree) {
    Settings settings = literal();
    settings.al_dwell = 20;
    ScriptedLevel level(settings, 4, 2);
    const auto speed = [](std::uint64_t now, std::size_t) { return now < 100 ? 1.0 : 0.5; };
    const std::ptrdiff_t firings = drops(level.run(2000, speed));
    EXPECT_GE(firings, 1);
    EXPECT_LE(firings, 3);
}

TEST(PinAspiration, ItKeepsLookingUntilAGoodChoiceIsFound) {
    Settings settings = literal();
    settings.al_dwell = 20;
    int found = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        ScriptedLevel level(settings, 3, seed);
        level.run(400, [](std::uint64_t now, std::size_t c) { return now < 50 || c == 2 ? 1.0 : c == 1 ? 0.3 : 0.5; });
        found += level.current() == 2 ? 1 : 0;
    }
    EXPECT_GE(found, 14);
}

/// PaRLSched moves on a drop only with probability lambda.
TEST(PinAspiration, RuleAIsCertainWhateverLambdaIs) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        ScriptedLevel level(literal(), 2, seed);
        level.run(60, drop_at(50, 0, 0.2));
        EXPECT_EQ(level.current(), 1u) << "seed " << seed;
    }
}

TEST(PinAspiration, ABlockedThreadTeachesNothingAndIsNotMoved) {
    ScriptedLevel level(literal(), 4, 3);
    level.run(100, [](std::uint64_t, std::size_t) { return 1.0; });
    const double before = level.learner().mean();
    EXPECT_TRUE(level.run(500, [](std::uint64_t, std::size_t) { return 0.0; }).empty());
    EXPECT_TRUE(level.run(100, [](std::uint64_t, std::size_t) { return std::nan(""); }).empty());
    EXPECT_DOUBLE_EQ(level.learner().mean(), before);
    EXPECT_TRUE(level.run(100, [](std::uint64_t, std::size_t) { return 1.0; }).empty());
}

TEST(PinAspiration, SlowDriftUpwardsNeverMovesIt) {
    ScriptedLevel level(literal(), 4, 4);
    EXPECT_TRUE(
        level.run(3000, [](std::uint64_t now, std::size_t) { return 1 + 0.01 * static_cast<double>(now); }).empty());
}

TEST(PinAspiration, SlowDriftDownwardsMovesItOnceInAWhile) {
    Settings settings = literal();
    settings.al_dwell = 20;
    ScriptedLevel level(settings, 4, 5);
    const auto speed = [](std::uint64_t now, std::size_t) { return std::pow(0.999, static_cast<double>(now)); };
    const std::ptrdiff_t firings = drops(level.run(1000, speed));  // falls by a factor of e
    EXPECT_GE(firings, 5);
    EXPECT_LE(firings, 25);
}

TEST(PinAspiration, OneChoiceIsKeptWhateverHappens) {
    Settings settings = literal();
    settings.al_lambda = 1;
    settings.al_seek = 1;
    ScriptedLevel level(settings, 1, 6);
    EXPECT_TRUE(level.run(500, [](std::uint64_t now, std::size_t) { return now % 100 < 50 ? 1.0 : 0.01; }).empty());
}

TEST(PinAspiration, ConstantPerformanceIsExploredWithLambda) {
    Settings settings = literal();
    settings.al_lambda = 0.01;
    ScriptedLevel level(settings, 4, 7);
    const std::vector<Why> moves = level.run(20000, [](std::uint64_t, std::size_t) { return 1.0; });
    EXPECT_NEAR(static_cast<double>(moves.size()), 200, 50);
    EXPECT_EQ(drops(moves), 0);
}

/// rand() % 100 in PaRLSched: no exploration rate below one percent, and lambda = 0.02 acts as 0.03.
TEST(PinAspiration, LambdaIsNotRoundedToPercents) {
    Settings settings = literal();
    settings.al_lambda = 0.001;
    ScriptedLevel level(settings, 4, 8);
    const std::vector<Why> moves = level.run(100000, [](std::uint64_t, std::size_t) { return 1.0; });
    EXPECT_NEAR(static_cast<double>(moves.size()), 100, 35);
}

TEST(PinAspiration, ALimitOfMovesPerMinuteHolds) {
    Settings settings = literal();
    settings.al_moves = 5;
    settings.sample_s = 0.2;
    settings.al_lambda = 1;
    ScriptedLevel level(settings, 4, 9);
    EXPECT_EQ(level.run(300, [](std::uint64_t, std::size_t) { return 1.0; }).size(), 5u);  // 300 samples are a minute
    EXPECT_LE(level.run(300, [](std::uint64_t, std::size_t) { return 1.0; }).size(), 5u);
}

TEST(PinAspiration, ADropThatMayNotMoveYetFiresLaterIfItLasts) {
    Settings settings = literal();
    settings.al_dwell = 50;
    settings.mean_step = 1;
    ScriptedLevel level(settings, 2, 10);
    // The move at tick 10 starts the dwell; the drop at the new place comes within it and lasts.
    const auto speed = [](std::uint64_t now, std::size_t c) {
        return now < 10 ? 1.0 : c == 0 ? 0.7 : now < 20 ? 1.0 : 0.5;
    };
    EXPECT_EQ(drops(level.run(30, speed)), 1);
    EXPECT_EQ(level.current(), 1u);
    EXPECT_EQ(drops(level.run(40, speed)), 1);
    EXPECT_EQ(level.current(), 0u);
    EXPECT_EQ(level.last_move(), 60u);
}

/// One decision with a mean that has just dropped below the band, with what is expected of the choices.
Move after_a_drop(const Settings& settings, const std::vector<double>& expected) {
    AlOptimiser optimiser(settings);
    Random random(11);
    const std::vector<double> even(expected.size(), 1.0 / static_cast<double>(expected.size()));
    Situation at = scripted_situation(expected.size(), expected);
    at.strategy = at.values = even;
    at.mean = 1;
    static_cast<void>(optimiser.decide(at, random));
    at.mean = 0.5;
    at.now = 1;
    return optimiser.decide(at, random);
}

TEST(PinAspiration, DirectedGoesOnlyWhereMoreIsExpectedOrNothingIsKnown) {
    Settings settings = literal();
    settings.al_directed = true;
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(after_a_drop(settings, {0.5, 0.4, 0.9, 0.4}).choice, 2u);
    EXPECT_EQ(after_a_drop(settings, {0.5, 0.4, 0.4, unknown}).choice, 3u);
    const Move nowhere_better = after_a_drop(settings, {0.5, 0.4, 0.4, 0.5});
    EXPECT_EQ(nowhere_better.why, Why::kept);
    EXPECT_TRUE(nowhere_better.dropped);  // for others to hear of: exploring is whole again
    settings.al_directed = false;
    EXPECT_EQ(after_a_drop(settings, {0.5, 0.4, 0.4, 0.5}).why, Why::dropped);
}

TEST(PinAspiration, SeekingTakesTheBestOfWhatIsClearlyBetter) {
    Settings settings = literal();
    settings.al_seek = 1;
    AlOptimiser optimiser(settings);
    Random random(12);
    const std::vector<double> even(4, 0.25);
    const auto decide = [&](const std::vector<double>& expected) {
        Situation at = scripted_situation(4, expected);
        at.strategy = at.values = even;
        at.mean = 1;
        return optimiser.decide(at, random);
    };
    EXPECT_EQ(decide({1, 5, 5, 5}).why, Why::kept);  // there was no band yet
    EXPECT_EQ(decide({1, 1.04, std::nan(""), 1}).why, Why::kept);
    const Move move = decide({1, 1.2, 1.5, 1.4});
    EXPECT_EQ(move.choice, 2u);
    EXPECT_EQ(move.why, Why::sought);
}

}  // namespace
}  // namespace gimbal::pin
