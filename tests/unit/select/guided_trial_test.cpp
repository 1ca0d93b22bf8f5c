// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/guided_trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

using gimbal::GuidedTrial;
using Runs = gimbal::GuidedTrial::Runs;

/// What runs until nothing is to run any more, as letters. @param noise  relative, up and down in turn
std::string run(GuidedTrial& trial, double with_static, double guided, double noise = 0) {
    std::string ran;
    for (int k = 0; k < 100 && trial.next() != Runs::nothing; ++k) {
        const double off = 1 + (k % 2 == 0 ? noise : -noise);
        if (trial.next() == Runs::guided) {
            trial.see_guided(guided * off);
            ran += 'g';
        } else {
            trial.see_static(with_static * off);
            ran += 's';
        }
    }
    return ran;
}

TEST(GuidedTrial, ThreeOfEachShowAClearLead) {
    for (const double guided : {0.8, 1.25}) {
        GuidedTrial trial;
        EXPECT_EQ(run(trial, 1, guided), "sssggg");
        EXPECT_TRUE(trial.over());
        EXPECT_NEAR(trial.ratio(), guided, 1e-9);
        trial.left();
        EXPECT_EQ(trial.next(), Runs::nothing) << "that was proof";
    }
}

TEST(GuidedTrial, AnInterruptionDecidesNothing) {
    GuidedTrial trial;
    for (const double time : {1.0, 1.0, 1.0}) trial.see_static(time);
    for (const double time : {0.8, 20.0, 0.8}) trial.see_guided(time);
    EXPECT_NEAR(trial.ratio(), 0.8, 1e-9);
}

TEST(GuidedTrial, BothRunOnceMoreEachTimeTheLoopWasLeftUntilOneHasProvenFaster) {
    GuidedTrial trial;
    EXPECT_EQ(run(trial, 1, 1.02, 0.05), "sssggg");
    double before = trial.ratio();
    int turns = 0;
    for (trial.left(); trial.next() != Runs::nothing; trial.left()) {
        const std::string ran = run(trial, 1, 0.9);
        EXPECT_EQ(ran, turns++ % 2 == 0 ? "gs" : "sg");
        EXPECT_LE(trial.ratio(), before);
        before = trial.ratio();
    }
    EXPECT_GT(turns, 1) << "a single one proves nothing";
    EXPECT_LT(turns, 100);
    EXPECT_LT(trial.ratio(), 0.97);
}

TEST(GuidedTrial, ATimeThatIsNoneCountsAsHardlyAny) {
    for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        GuidedTrial trial;
        EXPECT_EQ(run(trial, none, 0.8), "sssggg");
        EXPECT_GT(trial.ratio(), 1000);
        EXPECT_TRUE(std::isfinite(trial.ratio()));
    }
}

}  // namespace
