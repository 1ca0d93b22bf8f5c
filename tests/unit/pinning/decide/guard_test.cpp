// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "decide/move_limit.hpp"

namespace gimbal::pin {
namespace {

Settings brisk() {
    Settings settings;
    settings.guard_window = 10;
    return settings;
}

/// Ticks of f by phase: what the operating system, the learners and the best-known placement would show.
class Scripted {
public:
    explicit Scripted(const Settings& settings) : guard(settings) {}

    void run(int ticks, double system, double learn, double hold, bool saturated = false) {
        for (int i = 0; i < ticks; ++i) {
            const double f = guard.released() ? system : guard.phase() == Phase::learn ? learn : hold;
            ++in[guard.phase()];
            const Guard::Step step = guard.observe(f, 4, saturated && guard.released());
            if (step.changed) phases.push_back(guard.phase());
            best += step.best ? 1 : 0;
        }
    }

    Guard guard;
    std::map<Phase, int> in;
    std::vector<Phase> phases;
    int best = 0;
};

TEST(PinGuard, MeasuresTheOperatingSystemFirst) {
    Scripted scripted(brisk());
    EXPECT_TRUE(scripted.guard.released());
    scripted.run(10, 1, 2, 2);
    EXPECT_EQ(scripted.guard.phase(), Phase::learn);
    EXPECT_EQ(scripted.guard.event().why, Why::trial);
    EXPECT_DOUBLE_EQ(scripted.guard.event().system, 1);
}

TEST(PinGuard, LearningThatLosesIsLetGo) {
    Scripted scripted(brisk());
    scripted.run(200, 1, 0.9, 0.95);
    ASSERT_GE(scripted.phases.size(), 3u);
    EXPECT_EQ(scripted.phases[0], Phase::learn);
    EXPECT_EQ(scripted.phases[1], Phase::hold);
    EXPECT_EQ(scripted.phases[2], Phase::released);
    EXPECT_GE(scripted.best, 1);
}

TEST(PinGuard, WhereThereIsNothingToTryThreadsAreLetGoAfterOneWindow) {
    Guard guard(brisk());
    for (int i = 0; i < 23; ++i) static_cast<void>(guard.observe(1, 4, false, 0, false));
    EXPECT_EQ(guard.phase(), Phase::released);
}

TEST(PinGuard, ATieIsLetGoToo) {
    Scripted scripted(brisk());
    scripted.run(100, 1, 1, 1);
    EXPECT_EQ(scripted.guard.phase(), Phase::released);
}

TEST(PinGuard, WhereNothingCanBeWonOurPlacementRunsAlmostNever) {
    Scripted scripted(brisk());
    scripted.run(10000, 1, 0.95, 0.98);
    const double share = 1 - static_cast<double>(scripted.in[Phase::released] + scripted.in[Phase::baseline]) / 10000;
    EXPECT_LT(share, 0.1);  // times a loss of 5 %: half a percent
}

TEST(PinGuard, WithAProcessorForEveryThreadNothingIsTried) {
    Scripted scripted(brisk());
    scripted.run(5000, 1, 0.5, 0.5, true);
    EXPECT_EQ(scripted.in[Phase::learn] + scripted.in[Phase::hold], 0);
}

TEST(PinGuard, LearningThatWinsGoesOnAndTheOperatingSystemIsLookedAtEverMoreRarely) {
    Scripted scripted(brisk());
    scripted.run(10000, 1, 1.2, 1.1);
    EXPECT_EQ(scripted.in[Phase::hold] + scripted.in[Phase::released], 0);
    EXPECT_GT(scripted.in[Phase::baseline], 20);
    EXPECT_LT(scripted.in[Phase::baseline], 400);
}

TEST(PinGuard, TheBestKnownPlacementStaysIfOnlyExploringLoses) {
    Scripted scripted(brisk());
    scripted.run(3000, 1, 0.95, 1.2);
    EXPECT_EQ(scripted.in[Phase::released], 0);
    EXPECT_GT(scripted.in[Phase::hold], 2500);
}

TEST(PinGuard, AWinThatHasBecomeALossIsNoticed) {
    Scripted scripted(brisk());
    scripted.run(500, 1, 1.2, 1.2);
    EXPECT_EQ(scripted.guard.phase(), Phase::learn);
    scripted.run(300, 1, 0.8, 0.8);
    EXPECT_EQ(scripted.guard.phase(), Phase::released);
}

TEST(PinGuard, AHeldPlacementIsComparedAnewWhenThingsChangeEitherWay) {
    for (const double change : {0.8, 1.3}) {
        Scripted scripted(brisk());
        scripted.run(300, 1, 0.95, 1.2);
        ASSERT_EQ(scripted.guard.phase(), Phase::hold);
        scripted.phases.clear();
        scripted.run(25, 2, 0.95, 1.2 * change);
        ASSERT_FALSE(scripted.phases.empty());
        EXPECT_EQ(scripted.phases.front(), Phase::baseline);
        scripted.run(150, 2, 0.95, 1.2 * change);
        EXPECT_THAT(scripted.phases, testing::Contains(Phase::released));
    }
}

TEST(PinGuard, AnOldBaselineIsMeasuredAnewBeforeAnythingFollows) {
    Scripted scripted(brisk());
    scripted.run(500, 1, 1.2, 1.2);
    scripted.phases.clear();
    // Everything halves, and learning is still a fifth ahead.
    scripted.run(300, 0.5, 0.6, 0.6);
    EXPECT_EQ(scripted.guard.phase(), Phase::learn);
    for (const Phase phase : scripted.phases) EXPECT_TRUE(phase == Phase::baseline || phase == Phase::learn);
}

TEST(PinGuard, ADisturbanceWhileReleasedBringsTheNextTrialForward) {
    Settings settings = brisk();
    settings.guard_rest = 1000;
    Scripted calm(settings);
    calm.run(1000, 1, 0.9, 0.9);
    const int before = calm.in[Phase::learn];
    calm.run(60, 0.5, 0.7, 0.7);
    EXPECT_EQ(calm.in[Phase::learn], before);  // not at once, lest a program with phases be tried all the time
    calm.run(2500, 0.5, 0.7, 0.7);
    EXPECT_GT(calm.in[Phase::learn], before);
    EXPECT_EQ(calm.guard.phase(), Phase::learn);
}

/// What follows if our windows show another mean and another slowest thread than the operating system's.
Phase verdict(double mean, double slowest) {
    Guard guard(brisk());
    for (int i = 0; i < 120; ++i)
        static_cast<void>(guard.observe(guard.released() ? 1 : mean, 4, false, guard.released() ? 0.8 : slowest));
    return guard.phase();
}

TEST(PinGuard, WhatTheSlowestThreadLosesIsNotMadeUpForByOthersNorTheOtherWayRound) {
    EXPECT_EQ(verdict(1.05, 0.6), Phase::released);
    EXPECT_EQ(verdict(0.9, 1.0), Phase::released);
    EXPECT_EQ(verdict(1.05, 0.8), Phase::learn);
    EXPECT_EQ(verdict(1.0, 1.0), Phase::learn);
    EXPECT_EQ(verdict(1.0, 0.82), Phase::released);  // noise of a minimum
    EXPECT_EQ(verdict(1.0, 0.8), Phase::released);
}

TEST(PinGuard, InAnotherUnitTheOperatingSystemIsMeasuredAnewBeforeAnythingFollows) {
    for (const double unit : {1e-4, 1e4}) {
        Scripted scripted(brisk());
        scripted.run(60, 1, 1.2, 1.2);
        ASSERT_EQ(scripted.guard.phase(), Phase::learn);
        scripted.phases.clear();
        scripted.guard.doubt();
        scripted.run(60, unit, 1.2 * unit, 1.2 * unit);
        EXPECT_THAT(scripted.phases, testing::ElementsAre(Phase::baseline, Phase::learn)) << unit;
    }
}

TEST(PinGuard, TheBestWindowOfATrialIsNotLookedForAmongThoseOfAnotherUnit) {
    Scripted scripted(brisk());
    scripted.run(60, 1, 1.2, 1.2);
    ASSERT_EQ(scripted.guard.phase(), Phase::learn);
    scripted.guard.doubt();
    scripted.best = 0;
    scripted.run(60, 1e-4, 1.2e-4, 1.2e-4);
    ASSERT_EQ(scripted.guard.phase(), Phase::learn);
    EXPECT_GE(scripted.best, 1);
}

TEST(PinGuard, TicksThatShowNothingAreNotCounted) {
    Guard guard(brisk());
    for (int i = 0; i < 1000; ++i) static_cast<void>(guard.observe(0, 0, false));
    EXPECT_EQ(guard.phase(), Phase::baseline);
    // A serial part of a program with eight threads says nothing of eight threads.
    for (int i = 0; i < 9; ++i) static_cast<void>(guard.observe(1, 8, false));
    for (int i = 0; i < 30; ++i) static_cast<void>(guard.observe(7, 1, false));
    EXPECT_EQ(guard.phase(), Phase::baseline);
    static_cast<void>(guard.observe(1, 8, false));
    EXPECT_EQ(guard.phase(), Phase::learn);
    EXPECT_DOUBLE_EQ(guard.event().system, 1);
}

TEST(PinGuard, SwitchedOffItAlwaysLearns) {
    Settings settings = brisk();
    settings.guard = false;
    Scripted scripted(settings);
    scripted.run(1000, 1, 0.1, 0.1);
    EXPECT_EQ(scripted.in[Phase::learn], 1000);
}

TEST(PinGuard, EventsAreSaidInWords) {
    const GuardEvent event{62, Phase::released, Why::let_go, 2, 1};
    EXPECT_EQ(event.text(), "tick 62: released (let_go); operating system 2, ours 1 (-50.0 %)");
}

TEST(PinGuard, WhatWasNotMeasuredIsNotComparedInWords) {
    EXPECT_EQ((GuardEvent{10, Phase::learn, Why::trial, 1.1013e5, 0}.text()),
              "tick 10: learn (trial); operating system 1.101e+05");
    EXPECT_EQ((GuardEvent{10, Phase::hold, Why::best, 0, 3}.text()), "tick 10: hold (best); ours 3");
    EXPECT_EQ((GuardEvent{0, Phase::baseline, Why::baseline, 0, 0}.text()), "tick 0: baseline (baseline)");
}

TEST(PinExplorationRate, ShrinksToATenthWhileNothingHappensAndIsWholeAfterADrop) {
    ExplorationRate rate;
    std::uint64_t now = 0;
    while (now < 14) rate.tick(++now);
    EXPECT_DOUBLE_EQ(rate.factor(), 1);
    while (now < 1000) rate.tick(++now);
    EXPECT_DOUBLE_EQ(rate.factor(), 0.1);
    rate.dropped(now);
    EXPECT_DOUBLE_EQ(rate.factor(), 1);
}

}  // namespace
}  // namespace gimbal::pin
