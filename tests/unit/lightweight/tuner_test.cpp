// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/tuner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "lightweight/candidate_search.hpp"
#include "lightweight/drift_detector.hpp"
#include "lightweight/trial_tuners.hpp"
#include "scripted_loop.hpp"

namespace {

using namespace gimbal;
using gimbal::test::ScriptedLoop;
using gimbal::test::valley;

TEST(FractionTrial, CostsWorkerTimePerIteration) {
    EXPECT_DOUBLE_EQ((FractionTrial{.loop_time = 50, .iterations = 100, .workers = 4}).cost(), 2);
    EXPECT_TRUE(std::isnan((FractionTrial{.loop_time = 50, .iterations = 0, .workers = 4}).cost()));
    EXPECT_TRUE(std::isnan((FractionTrial{.loop_time = 50, .iterations = 100, .workers = 0}).cost()));
    EXPECT_TRUE(std::isnan((FractionTrial{.loop_time = -1, .iterations = 100, .workers = 4}).cost()));
    EXPECT_TRUE(std::isnan((FractionTrial{.loop_time = std::nan(""), .iterations = 100, .workers = 4}).cost()));
}

TEST(CandidateSearch, LetsTheCandidatesTakeTurns) {
    CandidateSearch search(8, 3);
    search.start(std::vector<double>{0.2, 0.5, 0.2, 0.9});  // 0.2 once is enough
    std::vector<double> tried;
    while (!search.done()) {
        tried.push_back(search.current());
        search.learn(search.current(), 1 + std::abs(search.current() - 0.5));
    }
    EXPECT_EQ(tried, (std::vector<double>{0.2, 0.5, 0.9, 0.2, 0.5, 0.9, 0.2, 0.5, 0.9}));
    EXPECT_EQ(search.current(), 0.5);
}

// 0.2 is fast when the core is free, but every other time it is not: what counts is what that costs altogether.
TEST(CandidateSearch, TakesTheMeanSoThatNoiseCounts) {
    CandidateSearch search(2, 3);
    search.start(std::vector<double>{0.2, 0.5});
    for (const double with_noise : {1.0, 5.0, 1.0}) {
        search.learn(0.2, with_noise);
        search.learn(0.5, 2);
    }
    EXPECT_EQ(search.current(), 0.5);
}

TEST(CandidateSearch, GivesTiesToTheLargerFraction) {
    for (const std::vector<double>& order : {std::vector<double>{0.2, 0.5, 0.4}, std::vector<double>{0.5, 0.4, 0.2}}) {
        CandidateSearch search(3, 1);
        search.start(order);
        while (!search.done()) search.learn(search.current(), 1 + 0.0005 * search.current());
        EXPECT_EQ(search.current(), 0.5);
    }
}

TEST(CandidateSearch, PassesOverExecutionsOfAnotherFraction) {
    CandidateSearch search(2, 1);
    search.start(std::vector<double>{0.2, 0.5});
    EXPECT_FALSE(search.learn(0.5, 1));
    EXPECT_FALSE(search.learn(std::nan(""), 1));
    EXPECT_EQ(search.current(), 0.2);
    EXPECT_FALSE(search.learn(0.2, 2));
    EXPECT_TRUE(search.learn(0.5, 1));
    EXPECT_FALSE(search.learn(0.5, 1)) << "already done";
}

TEST(CandidateSearch, AroundAnEndTriesOnlyWhatThereIs) {
    CandidateSearch search(21, 1);
    search.start_around(0.97, 0.05, 0.01);
    std::set<double> tried;
    while (!search.done()) {
        EXPECT_GE(search.current(), 0.92 - 1e-9);
        EXPECT_LE(search.current(), 1);
        tried.insert(search.current());
        search.learn(search.current(), 1);
    }
    EXPECT_EQ(tried.size(), 9U);  // 0.92 to 1
}

TEST(DriftDetector, SpeaksOnlyOfWhatLasts) {
    DriftDetector watch;
    watch.settle(100);
    for (int i = 0; i < 800; ++i) EXPECT_EQ(watch.learn(i % 8 < 3 ? 1000 : 100), 0) << "three bad ones of eight";
    double drift = 0;
    for (int i = 0; i < 16 && drift == 0; ++i) drift = watch.learn(140);
    EXPECT_NEAR(drift, 0.4, 1e-9);
}

TEST(DriftDetector, WaitsTwiceAsLongAfterEverySearch) {
    DriftDetector watch;
    int last = 0;
    for (int search = 0; search < 8; ++search) {
        watch.settle(100);
        int waited = 1;
        while (watch.learn(1000) == 0) ++waited;
        EXPECT_GE(waited, 2 * last);
        last = waited;
    }
}

TEST(GridTuner, FindsTheBottomOfANoisyValley) {
    for (const double best : {0.0, 0.07, 0.33, 0.5, 0.85, 0.94, 1.0}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            ScriptedLoop loop(valley(best), 0.002, seed);
            GridTuner tuner(1);
            EXPECT_EQ(tuner.stage(), "search");
            const int executions = loop.settle(tuner);
            EXPECT_LE(executions, 3 * (11 + 21));
            EXPECT_EQ(tuner.stage(), "settled");
            EXPECT_NEAR(tuner.fraction(), best, 0.03) << "seed " << seed;
        }
    }
}

TEST(GridTuner, TriesNoFractionsThatGiveTheSameSchedule) {
    ScriptedLoop loop(valley(0.5));
    loop.shape(64, 16);  // c P / N = 0.25
    GridTuner tuner(1);
    std::set<double> tried;
    while (!tuner.settled()) {
        tried.insert(tuner.fraction());
        loop.step(tuner);
    }
    EXPECT_EQ(tried, (std::set<double>{0, 0.25, 0.5, 0.75, 1}));
    ScriptedLoop tiny(valley(0.5));
    tiny.shape(4, 16);
    GridTuner ends(1);
    EXPECT_LE(tiny.settle(ends), 10) << "only all static, all dynamic";
}

TEST(GridTuner, SearchesAgainAroundItsFractionWhenTheLoopChanges) {
    ScriptedLoop loop(valley(0.85), 0.002);
    GridTuner tuner(1);
    loop.settle(tuner);
    EXPECT_EQ(loop.restarts(tuner, 500), 0);
    loop.becomes(valley(0.78, 1500));
    int until_noticed = 0;
    for (; tuner.settled() && until_noticed < 100; ++until_noticed) loop.step(tuner);
    EXPECT_LE(until_noticed, 16);
    while (!tuner.settled()) {
        EXPECT_NEAR(tuner.fraction(), 0.85, 0.1 + 0.03);
        loop.step(tuner);
    }
    EXPECT_NEAR(tuner.fraction(), 0.78, 0.03);
}

TEST(GridTuner, DoesNotTakeOtherShapesForAChange) {
    ScriptedLoop loop(valley(0.85), 0.002);
    GridTuner tuner(1);
    loop.settle(tuner);
    loop.shape(1'000'000, 4);
    EXPECT_EQ(loop.restarts(tuner, 500), 0);
}

TEST(GridTuner, DoesNotStormOnNoise) {
    for (const double noise : {0.05, 0.2, 0.5}) {
        ScriptedLoop loop([](double) { return 1000.0; }, noise, 7);
        GridTuner tuner(1);
        loop.settle(tuner);
        EXPECT_LE(loop.restarts(tuner, 20'000), noise < 0.1 ? 0 : 12) << noise;  // log2(20000 / 8) + 1
    }
    ScriptedLoop worst([](double) { return 1000.0; });
    GridTuner tuner(1);
    worst.settle(tuner);
    int restarts = 0;
    double level = 1000;
    for (int i = 0; i < 20'000; ++i) {  // a machine that doubles or halves its speed every twenty executions
        if (i % 20 == 0) level = level > 1500 ? 1000 : 2000;
        worst.becomes([level](double) { return level; });
        restarts += worst.restarts(tuner, 1);
    }
    EXPECT_GE(restarts, 1);
    EXPECT_LE(restarts, 12);
}

TEST(GridTuner, PassesOverTrialsThatShowNothing) {
    GridTuner tuner(1);
    const double first = tuner.fraction();
    tuner.learn({.fraction = first, .loop_time = 1, .iterations = 0, .workers = 4});
    tuner.learn({.fraction = first, .loop_time = std::nan(""), .iterations = 10, .workers = 4});
    tuner.learn({.fraction = first - 0.05, .loop_time = 1, .iterations = 1000, .workers = 4});
    EXPECT_EQ(tuner.fraction(), first);
    tuner.learn({.fraction = first, .loop_time = 1, .iterations = 1000, .workers = 4});
    EXPECT_NE(tuner.fraction(), first);
}

TEST(ConstraintTuner, FindsTheBestConstraintAndPrefersNone) {
    ScriptedLoop loop(valley(0.42), 0.002);
    ConstraintTuner tuner;
    std::set<double> tried;
    while (!tuner.settled()) {
        tried.insert(tuner.fraction());
        loop.step(tuner);
    }
    EXPECT_EQ(tried.size(), 10U);
    EXPECT_NEAR(*tried.begin(), 0.1, 1e-9) << "0 would never end";
    EXPECT_NEAR(tuner.fraction(), 0.4, 1e-9);
    EXPECT_EQ(loop.restarts(tuner, 200), 0);
    loop.becomes(valley(0.9, 2000));
    EXPECT_EQ(loop.restarts(tuner, 100), 1);
    EXPECT_NEAR(tuner.fraction(), 0.9, 1e-9);

    ScriptedLoop flat([](double) { return 1000.0; });
    ConstraintTuner plain;
    flat.settle(plain);
    EXPECT_EQ(plain.fraction(), 1);
}

TEST(ConstraintTuner, HoldsNobodyBackForAGainThatIsNoise) {
    int held_back = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        ScriptedLoop loop([](double) { return 1000.0; }, 0.1, seed);
        ConstraintTuner tuner;
        loop.settle(tuner);
        if (tuner.fraction() < 1) ++held_back;
    }
    EXPECT_LE(held_back, 25) << "the luckiest of ten would be another one nine times of ten";
}

}  // namespace
