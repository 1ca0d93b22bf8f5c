// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/first_level.hpp"

#include <gtest/gtest.h>

#include "gimbal/pin_settings.hpp"
#include "process/process.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::levels;

constexpr LossByCause kUnequalWork{.time = 1, .work = 0.3, .rate = 0};
constexpr LossByCause kSlowCore{.time = 1, .work = 0.02, .rate = 0.3};
constexpr LossByCause kNothing{.time = 1, .work = 0.001, .rate = 0};

TEST(FirstLevel, NobodyHoldsWherePlacementDoesNotLearn) {
    FirstLevel first;
    first.note(kSlowCore, 0);
    first.note(kUnequalWork, 0.1);
    EXPECT_FALSE(first.holds(Level::threads, 0.2));
    EXPECT_FALSE(first.holds(Level::placement, 0.2));
}

TEST(FirstLevel, UnequalWorkIsForSchedulesASlowCoreForPlacement) {
    FirstLevel first;
    first.set_placement_learns(true);
    first.note(kUnequalWork, 0);
    EXPECT_TRUE(first.holds(Level::placement, 0.1));
    EXPECT_FALSE(first.holds(Level::threads, 0.1));
    for (int i = 0; i < 10; ++i) first.note(kSlowCore, 1);
    EXPECT_TRUE(first.holds(Level::threads, 1.1));
    EXPECT_FALSE(first.holds(Level::placement, 1.1));
}

TEST(FirstLevel, TheOtherLevelHoldsForABoundedTimeAlthoughTheCauseStays) {
    FirstLevel first;
    first.set_placement_learns(true);
    double now = 0;
    for (; now < FirstLevel::kPatience_s; now += 0.1) {
        first.note(kSlowCore, now);
        EXPECT_TRUE(first.holds(Level::threads, now)) << now;
    }
    for (; now < 10; now += 0.1) {
        first.note(kSlowCore, now);
        EXPECT_FALSE(first.holds(Level::threads, now + 0.01)) << now;
    }
}

TEST(FirstLevel, ACauseThatComesAndGoesHoldsATenthOfTheTimeAtMost) {
    FirstLevel first;
    first.set_placement_learns(true);
    int held = 0, asked = 0;
    for (double now = 0; now < 200; now += 0.1, ++asked) {
        const bool slow = static_cast<int>(now) % 4 < 2;
        for (int i = 0; i < 20; ++i) first.note(slow ? kSlowCore : kNothing, now);
        held += first.holds(Level::threads, now) ? 1 : 0;
    }
    EXPECT_GT(held, 0);
    EXPECT_LE(held, asked / 10);
}

TEST(FirstLevel, NobodyHoldsWhereLittleIsLost) {
    FirstLevel first;
    first.set_placement_learns(true);
    first.note(kNothing, 0);
    EXPECT_FALSE(first.holds(Level::threads, 0));
    EXPECT_FALSE(first.holds(Level::placement, 0));
}

TEST(FirstLevel, OneExecutionAmongManyDoesNotTurnTheCause) {
    FirstLevel first;
    first.set_placement_learns(true);
    for (int i = 0; i < 20; ++i) first.note(kUnequalWork, 0.1 * i);
    first.note(kSlowCore, 2.1);
    EXPECT_FALSE(first.holds(Level::threads, 2.1)) << "placement is not asked";
}

TEST(FirstLevel, PlacementLearnsUntilItSaysOtherwiseAndNotInAForkedChild) {
    gimbal_pin_begin(nullptr);
    EXPECT_TRUE(first_level().placement_learns());
    restart_placement_in_child();
    EXPECT_FALSE(first_level().placement_learns());
    gimbal_pin_begin(nullptr);
    gimbal_pin_end();
    EXPECT_FALSE(first_level().placement_learns());
}

}  // namespace
