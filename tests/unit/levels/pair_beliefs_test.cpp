// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/pair_beliefs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using gimbal::levels::PairBeliefs;

TEST(PairBeliefs, APredictionIsBelievedAsFarAsItsError) {
    PairBeliefs beliefs(2, 0);
    beliefs.predict(std::vector<double>{100, 90});
    EXPECT_NEAR(beliefs.gain(1).mean, std::log(100.0 / 90), 1e-12);
    EXPECT_NEAR(beliefs.gain(1).error, beliefs.model_error(), 1e-12);
    EXPECT_EQ(beliefs.gain(0).mean, 0);
}

TEST(PairBeliefs, ManyTrialsOutweighAWrongPrediction) {
    PairBeliefs beliefs(2, 0);
    beliefs.predict(std::vector<double>{100, 90});
    for (int i = 0; i < 200; ++i) {
        beliefs.note_incumbent(i % 2 == 0 ? 101 : 99);
        beliefs.note_trial(1, i % 2 == 0 ? 109 : 111);
    }
    EXPECT_NEAR(beliefs.gain(1).mean, -std::log(1.1), 0.01);
    EXPECT_LT(beliefs.gain(1).error, 0.005);
    EXPECT_FALSE(beliefs.gain(1).sure());
    EXPECT_GT(beliefs.model_error(), 0.05);  // it has been wrong by 20 %
}

TEST(PairBeliefs, AModelThatHasTheIncumbentsTimeWrongIsBelievedLess) {
    PairBeliefs right(2, 0), wrong(2, 0);
    right.note_incumbent(100);
    wrong.note_incumbent(120);
    for (PairBeliefs* beliefs : {&right, &wrong}) beliefs->predict(std::vector<double>{100, 90});
    EXPECT_NEAR(right.gain(1).error, 0.02, 1e-6);
    EXPECT_NEAR(wrong.gain(1).error, std::log(1.2) / 3, 1e-6);
    EXPECT_TRUE(right.gain(1).sure());
    EXPECT_FALSE(wrong.gain(1).sure());
}

TEST(PairBeliefs, LearnsTheNoiseOfSteps) {
    for (const double deviation : {0.01, 0.1}) {
        PairBeliefs beliefs(1, 0);
        for (int i = 0; i < 400; ++i) beliefs.note_incumbent(100 * (1 + (i % 2 == 0 ? deviation : -deviation)));
        EXPECT_NEAR(beliefs.noise(), deviation, 0.15 * deviation);
    }
}

TEST(PairBeliefs, SaysHowFarAStepIsOff) {
    PairBeliefs beliefs(1, 0);
    EXPECT_EQ(beliefs.note_incumbent(100), 0);
    for (int i = 0; i < 100; ++i) EXPECT_LT(std::abs(beliefs.note_incumbent(i % 2 == 0 ? 101 : 99)), 3);
    EXPECT_GT(beliefs.note_incumbent(120), 4);
    EXPECT_LT(beliefs.note_incumbent(80), -4);
}

TEST(PairBeliefs, APromotedPairIsTheMeasureOfTheOthers) {
    PairBeliefs beliefs(3, 0);
    beliefs.predict(std::vector<double>{100, 80, 90});
    beliefs.note_incumbent(100);
    beliefs.note_incumbent(100);
    beliefs.note_trial(1, 80);
    beliefs.note_trial(2, 90);
    beliefs.promote(1);
    EXPECT_EQ(beliefs.incumbent(), 1U);
    EXPECT_NEAR(beliefs.reference(), 80, 1);
    EXPECT_NEAR(beliefs.gain(2).mean, std::log(80.0 / 90), 0.01);
    EXPECT_NEAR(beliefs.gain(0).mean, std::log(80.0 / 100), 0.01);
}

TEST(PairBeliefs, ATrialThatContradictsTheModelWidensItsError) {
    PairBeliefs beliefs(3, 0);
    for (int i = 0; i < 20; ++i) beliefs.note_incumbent(100);
    beliefs.predict(std::vector<double>{100, 90, 90});
    EXPECT_TRUE(beliefs.gain(2).sure());
    beliefs.note_trial(1, 110);
    EXPECT_LT(beliefs.gain(1).mean, 0);
    EXPECT_LT(beliefs.shown(1).mean, -beliefs.shown(1).error);
    EXPECT_GT(beliefs.model_error(), std::log(110.0 / 90) / 2.2) << "two deviations";
    EXPECT_FALSE(beliefs.gain(2).sure()) << "what it says of others is believed less";
}

TEST(PairBeliefs, WhatIsHopelessOrWasStoppedTwiceIsNotPossibleUntilAsked) {
    const std::vector<double> times{100, 90, std::numeric_limits<double>::infinity()};
    PairBeliefs beliefs(3, 0);
    EXPECT_FALSE(beliefs.possible(1));  // nothing is known
    beliefs.predict(times);
    EXPECT_TRUE(beliefs.possible(1));
    EXPECT_FALSE(beliefs.possible(2));
    beliefs.note_stop(1);
    EXPECT_TRUE(beliefs.possible(1)) << "an interruption";
    for (const int predictions : {1, 2, 4}) {
        beliefs.note_stop(1);
        for (int k = 0; k < predictions; ++k) {
            EXPECT_FALSE(beliefs.possible(1));
            beliefs.predict(times);
        }
        EXPECT_TRUE(beliefs.possible(1));
    }
    beliefs.note_stop(1);
    beliefs.forget();
    EXPECT_TRUE(beliefs.possible(1));
    EXPECT_EQ(beliefs.reference_steps(), 0U);
}

}  // namespace
