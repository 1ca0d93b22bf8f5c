// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/contenders.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

using gimbal::Contenders;

/// Steps of a loop under a bandit: time(choice, step), with noise.
struct Played {
    double total = 0;
    std::vector<std::uint64_t> turns;
    std::uint64_t trials = 0;
};

Played play(Contenders& contenders, int steps, const std::function<double(std::size_t, int)>& time) {
    Played run;
    run.turns.resize(contenders.size());
    for (int step = 0; step < steps; ++step) {
        const Contenders::Turn turn = contenders.next();
        const double took = time(turn.choice, step);
        contenders.observe(turn, took);
        run.total += took;
        ++run.turns[turn.choice];
        run.trials += turn.trial ? 1 : 0;
    }
    return run;
}

TEST(Contenders, WithoutPredictionsOnlyTheHolderRuns) {
    Contenders contenders(5, 2);
    const Played run = play(contenders, 1000, [](std::size_t, int) { return 1.0; });
    EXPECT_EQ(run.turns[2], 1000U);
    EXPECT_EQ(run.trials, 0U);
}

TEST(Contenders, ABetterChoiceThanThePredictionsSayWinsTheTitle) {
    Contenders contenders(4, 0);
    const std::vector<double> predicted{1, 1.02, 1.02, 1.3};
    contenders.predict(predicted, 0.03);
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(1, 0.01);
    const std::vector<double> truth{1, 0.95, 1.05, 1.3};
    const Played run = play(contenders, 300, [&](std::size_t choice, int) { return truth[choice] * noise(random); });
    EXPECT_EQ(contenders.holder(), 1U);
    EXPECT_EQ(run.turns[3], 0U) << "what is predicted to lose a third is never tried";
    EXPECT_LT(run.total, 300 * 0.96);
}

TEST(Contenders, TrialsAmongEqualsCostNearlyNothing) {
    Contenders contenders(8, 0);
    const std::vector<double> predicted{1, 1.01, 1.01, 1.02, 1.03, 1.05, 1.1, 1.2};
    contenders.predict(predicted, 0.03);
    std::mt19937_64 random(2);
    std::normal_distribution<double> noise(1, 0.02);
    const Played run =
        play(contenders, 300, [&](std::size_t choice, int) { return predicted[choice] * noise(random); });
    EXPECT_LT(run.total, 300 * 1.005);
    EXPECT_LT(run.trials, 60U);
}

// What is believed never comes true, and the loop is said to change all the time.
TEST(Contenders, TrialsHaveALimitUnderAllCircumstances) {
    Contenders contenders(4, 0);
    std::mt19937_64 random(3);
    std::normal_distribution<double> noise(1, 0.2);
    std::uint64_t trials = 0;
    constexpr int kSteps = 6000;
    for (int step = 0; step < kSteps; ++step) {
        if (step % 10 == 0) {
            contenders.doubt(0.5);
            std::vector<double> predicted(4, 0.5);
            predicted[contenders.holder()] = 1;
            contenders.predict(predicted, 0.3);
        }
        const Contenders::Turn turn = contenders.next();
        contenders.observe(turn, std::max(0.1, noise(random)));
        trials += turn.trial ? 1 : 0;
    }
    EXPECT_LE(trials, 20 + kSteps / 12U);
}

TEST(Contenders, WorkThatGrowsDoesNotFavourWhoeverRanFirst) {
    Contenders contenders(2, 0);
    contenders.predict(std::vector<double>{1, 1}, 0.05);
    play(contenders, 400,
         [](std::size_t choice, int step) { return std::exp(0.02 * step) * (choice == 1 ? 0.97 : 1); });
    EXPECT_EQ(contenders.holder(), 1U);
    Contenders shrinking(2, 0);
    shrinking.predict(std::vector<double>{1, 1}, 0.05);
    play(shrinking, 400,
         [](std::size_t choice, int step) { return std::exp(-0.02 * step) * (choice == 1 ? 1.03 : 1); });
    EXPECT_EQ(shrinking.holder(), 0U);
}

TEST(Contenders, AnotherChoiceTakesOverWhenTheLoopChanges) {
    Contenders contenders(2, 0);
    contenders.predict(std::vector<double>{1, 1.2}, 0.03);
    const auto time = [](std::size_t choice, int step) {
        return step < 200 ? (choice == 0 ? 1 : 1.2) : (choice == 0 ? 1.2 : 1);
    };
    play(contenders, 200, time);
    EXPECT_EQ(contenders.holder(), 0U);
    contenders.doubt(0.2);
    contenders.predict(std::vector<double>{1.2, 1}, contenders.prediction_error());
    const Played run = play(contenders, 40, [&](std::size_t choice, int step) { return time(choice, step + 200); });
    EXPECT_EQ(contenders.holder(), 1U);
    EXPECT_LT(run.total, 40 * 1.05);
}

TEST(Contenders, AnInterruptedTrialDoesNotCondemnAChoice) {
    Contenders contenders(2, 0);
    contenders.predict(std::vector<double>{1, 1}, 0.03);
    bool interrupted = false;
    play(contenders, 300, [&](std::size_t choice, int) {
        if (choice == 0) return 1.0;
        const bool first = !interrupted;
        interrupted = true;
        return first ? 5.0 : 0.95;
    });
    EXPECT_EQ(contenders.holder(), 1U);
}

TEST(Contenders, AnInterruptedHolderDoesNotLoseTheTitle) {
    // One step in ten takes twice as long, whoever runs it.
    int lost = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        Contenders contenders(2, 0);
        contenders.predict(std::vector<double>{1, 1.02}, 0.03);
        std::mt19937_64 random(seed);
        std::normal_distribution<double> noise(1, 0.01);
        std::bernoulli_distribution struck(0.1);
        play(contenders, 300, [&](std::size_t choice, int) {
            return (choice == 1 ? 1.02 : 1) * noise(random) * (struck(random) ? 2 : 1);
        });
        lost += contenders.holder() != 0 ? 1 : 0;
    }
    EXPECT_LE(lost, 1);
}

TEST(Contenders, ATitleWonByLuckIsWonBack) {
    Contenders contenders(2, 0);
    contenders.predict(std::vector<double>{1, 1}, 0.03);
    // Two lucky trials, then the truth.
    std::uint64_t lucky = 0;
    int lost_at = -1;
    int won_back_at = -1;
    for (int step = 0; step < 1000; ++step) {
        const Contenders::Turn turn = contenders.next();
        const bool luck = turn.choice == 1 && lucky < 2;
        lucky += luck ? 1 : 0;
        contenders.observe(turn, luck ? 0.93 : (turn.choice == 1 ? 1.02 : 1));
        if (lost_at < 0 && contenders.holder() == 1) lost_at = step;
        if (lost_at >= 0 && won_back_at < 0 && contenders.holder() == 0) won_back_at = step;
    }
    ASSERT_GE(lost_at, 0);
    EXPECT_GT(won_back_at, lost_at);
    EXPECT_LT(won_back_at, 600);
}

TEST(Contenders, AChoiceThatCannotBePredictedIsNeverTried) {
    Contenders contenders(2, 0);
    contenders.predict(std::vector<double>{1, std::numeric_limits<double>::infinity()}, 0.03);
    const Played run = play(contenders, 500, [](std::size_t, int) { return 1.0; });
    EXPECT_EQ(run.turns[1], 0U);
    EXPECT_EQ(contenders.second(), 0U);
}

TEST(Contenders, ATrialThatNeverComesBackIsForgotten) {
    Contenders contenders(2, 0);
    contenders.predict(std::vector<double>{1, 1}, 0.05);
    std::uint64_t lost = 0;
    for (int step = 0; step < 400; ++step) {
        const Contenders::Turn turn = contenders.next();
        if (turn.trial && lost == 0) {
            ++lost;
            continue;
        }
        contenders.observe(turn, turn.choice == 1 ? 0.9 : 1);
    }
    EXPECT_EQ(lost, 1U);
    EXPECT_EQ(contenders.holder(), 1U);
}

TEST(Contenders, TheModelsErrorIsMeasuredOnTrials) {
    Contenders contenders(3, 0);
    contenders.predict(std::vector<double>{1, 1.01, 1.01}, 0.05);
    EXPECT_DOUBLE_EQ(contenders.prediction_error(), 0.03);
    std::mt19937_64 random(3);
    std::normal_distribution<double> noise(1, 0.002);
    play(contenders, 300, [&](std::size_t choice, int) { return (choice == 0 ? 1 : 1.02) * noise(random); });
    EXPECT_NEAR(contenders.prediction_error(), 0.01, 0.005) << "1.02 where 1.01 was said";
    EXPECT_EQ(contenders.holder(), 0U);
}

TEST(Contenders, TrustGivesTheTitleToTheBestPrediction) {
    Contenders contenders(3, 0);
    contenders.predict(std::vector<double>{1, 0.9, 0.8}, 0.03);
    EXPECT_EQ(contenders.holder(), 0U);
    contenders.trust();
    EXPECT_EQ(contenders.holder(), 2U);
    EXPECT_NEAR(contenders.ratio(0), 1 / 0.8, 1e-9);
    EXPECT_NEAR(contenders.ratio(1), 0.9 / 0.8, 1e-9);
}

TEST(Contenders, ATrialUnderWayWhenTheTitleChangesIsForgotten) {
    for (const std::size_t steps : {1U, 2U}) {
        Contenders contenders(3, 0);
        play(contenders, 5, [](std::size_t, int) { return 1.0; });
        contenders.predict(std::vector<double>{1, 1.001, 1.2}, 0.03);
        const Contenders::Turn trial = contenders.next();
        ASSERT_TRUE(trial.trial);
        ASSERT_EQ(trial.choice, 1U);
        if (steps == 2) contenders.observe(trial, 0.5);
        for (int i = 0; i < 50; ++i) contenders.predict(std::vector<double>{1, 0.5, 0.9}, 0.01);
        contenders.trust();
        ASSERT_EQ(contenders.holder(), 1U);
        if (steps == 1) contenders.observe(trial, 0.5);
        play(contenders, 200, [](std::size_t choice, int) { return choice == 1 ? 0.5 : 1.0; });
        EXPECT_EQ(contenders.holder(), 1U);
        EXPECT_NEAR(contenders.ratio(0), 2, 0.1) << "what is believed of the others is still a number";
        EXPECT_NEAR(contenders.ratio(2), 1.8, 0.1);
        contenders.doubt(1);
        contenders.predict(std::vector<double>{1, 4, 3.6}, 0.01);
        const Played run = play(contenders, 100, [](std::size_t choice, int) { return choice == 0 ? 1.0 : 4.0; });
        EXPECT_EQ(contenders.holder(), 0U);
        EXPECT_LT(run.turns[1], 50U);
        EXPECT_NEAR(contenders.ratio(1), 4, 0.5) << "and of who has held the title meanwhile";
    }
}

}  // namespace
