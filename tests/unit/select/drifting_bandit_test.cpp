// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/drifting_bandit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

using gimbal::DriftingBandit;

/// A bandit whose first arm is the incumbent, and what a model says of all.
DriftingBandit with_predictions(const std::vector<double>& times, double error) {
    DriftingBandit bandit(times.size(), 0);
    bandit.predict(times, error);
    return bandit;
}

/// Factors around 1.
class Noise {
public:
    Noise(std::uint64_t seed, double deviation) : random_(seed), factor_(1, deviation) {}
    double operator()() { return factor_(random_); }

private:
    std::mt19937_64 random_;
    std::normal_distribution<double> factor_;
};

/// Steps of a loop under a bandit: time(choice, step), with noise.
struct Played {
    double total = 0;
    std::vector<std::uint64_t> pulls;
    std::uint64_t trials = 0;
};

Played play(DriftingBandit& bandit, int steps, const std::function<double(std::size_t, int)>& time) {
    Played run;
    run.pulls.resize(bandit.size());
    for (int step = 0; step < steps; ++step) {
        const DriftingBandit::Pull pull = bandit.next();
        const double took = time(pull.arm, step);
        bandit.observe(pull, took);
        run.total += took;
        ++run.pulls[pull.arm];
        run.trials += pull.trial ? 1 : 0;
    }
    return run;
}

TEST(DriftingBandit, WithoutPredictionsOnlyTheHolderRuns) {
    DriftingBandit bandit(5, 2);
    const Played run = play(bandit, 1000, [](std::size_t, int) { return 1.0; });
    EXPECT_EQ(run.pulls[2], 1000U);
    EXPECT_EQ(run.trials, 0U);
}

TEST(DriftingBandit, ABetterChoiceThanThePredictionsSayWinsTheTitle) {
    DriftingBandit bandit(4, 0);
    const std::vector<double> predicted{1, 1.02, 1.02, 1.3};
    bandit.predict(predicted, 0.03);
    Noise noise(1, 0.01);
    const std::vector<double> truth{1, 0.95, 1.05, 1.3};
    const Played run = play(bandit, 300, [&](std::size_t choice, int) { return truth[choice] * noise(); });
    EXPECT_EQ(bandit.incumbent(), 1U);
    EXPECT_EQ(run.pulls[3], 0U) << "what is predicted to lose a third is never tried";
    EXPECT_LT(run.total, 300 * 0.96);
}

TEST(DriftingBandit, TrialsAmongEqualsCostNearlyNothing) {
    DriftingBandit bandit(8, 0);
    const std::vector<double> predicted{1, 1.01, 1.01, 1.02, 1.03, 1.05, 1.1, 1.2};
    bandit.predict(predicted, 0.03);
    Noise noise(2, 0.02);
    const Played run = play(bandit, 300, [&](std::size_t choice, int) { return predicted[choice] * noise(); });
    EXPECT_LT(run.total, 300 * 1.005);
    EXPECT_LT(run.trials, 60U);
}

// What takes half the time of an incumbent that was the same before and after needs no second trial.
TEST(DriftingBandit, AnIncumbentThatHasBecomeFarSlowerIsReplacedAfterOneTrial) {
    DriftingBandit bandit(3, 0);
    const std::vector<double> predicted{1, 1.3, 1.5};  // nobody tries that before
    bandit.predict(predicted, 0.03);
    Noise noise(5, 0.005);
    constexpr int kBegins = 100;
    std::uint64_t trials = 0;
    int step = 0;
    for (; step < 2 * kBegins && bandit.incumbent() == 0; ++step) {
        if (step == kBegins + 5) bandit.widen(0.5);  // its profile has moved
        const DriftingBandit::Pull pull = bandit.next();
        trials += pull.trial && step > kBegins ? 1 : 0;
        bandit.observe(pull, predicted[pull.arm] * (pull.arm == 0 && step > kBegins ? 2.5 : 1) * noise());
    }
    EXPECT_NE(bandit.incumbent(), 0U);
    EXPECT_GT(step, kBegins);
    EXPECT_LE(trials, 1U);
}

// It may have met an incumbent that was interrupted, for as long before it as after.
TEST(DriftingBandit, OneTrialThatLedByLessThanAFifthIsNoProof) {
    DriftingBandit bandit = with_predictions({1, 1}, 0.03);
    int trials = 0;
    for (int step = 0; step < 300 && bandit.incumbent() == 0; ++step) {
        const DriftingBandit::Pull pull = bandit.next();
        trials += pull.trial ? 1 : 0;
        bandit.observe(pull, pull.arm == 0 ? 1 : 0.85);
    }
    EXPECT_EQ(bandit.incumbent(), 1U);
    EXPECT_EQ(trials, 2);
}

// An incumbent that takes three times as long after a trial as before it says nothing about the one in between.
TEST(DriftingBandit, ATrialBesideAnInterruptionOfTheIncumbentIsNoProof) {
    DriftingBandit bandit(2, 0);
    const std::vector<double> predicted{1, 1.01};
    bandit.predict(predicted, 0.03);
    Noise noise(6, 0.005);
    bool after_trial = false, was = false;
    for (int step = 0; step < 300; ++step) {
        const DriftingBandit::Pull pull = bandit.next();
        const double interrupted = after_trial && !was ? 3 : 1;
        was = was || after_trial;
        after_trial = pull.trial;
        bandit.observe(pull, predicted[pull.arm] * interrupted * noise());
    }
    EXPECT_TRUE(was);
    EXPECT_EQ(bandit.incumbent(), 0U);
}

TEST(DriftingBandit, KnowsHowLongNothingIsTried) {
    DriftingBandit bandit(3, 0);
    const std::vector<double> predicted{1, 1.01, 1.02};
    bandit.predict(predicted, 0.03);
    Noise noise(4, 0.005);
    std::uint64_t longest = 0, promised = 0, trials = 0;
    for (int step = 0; step < 2000; ++step) {
        const DriftingBandit::Pull pull = bandit.next();
        EXPECT_FALSE(pull.trial && promised > 0) << "step " << step;
        bandit.observe(pull, predicted[pull.arm] * noise());
        trials += pull.trial ? 1 : 0;
        const std::uint64_t left = bandit.undisturbed();
        promised = promised > 0 && left > 0 ? promised - 1 : left;
        longest = std::max(longest, left);
    }
    EXPECT_GT(trials, 3U);
    EXPECT_GT(longest, 8U);
}

// A step that nobody asked for counts like the others: trials come no later by the clock of the loop.
TEST(DriftingBandit, StepsThatWereNotAskedForCount) {
    DriftingBandit asked(3, 0), told(3, 0);
    const std::vector<double> times{1, 1.01, 1.02};
    for (DriftingBandit* const bandit : {&asked, &told}) bandit->predict(times, 0.03);
    std::uint64_t trials = 0;
    for (int step = 0; step < 1000; ++step) {
        const DriftingBandit::Pull pull = asked.next();
        asked.observe(pull, times[pull.arm]);
        trials += pull.trial ? 1 : 0;
    }
    std::uint64_t trials_when_told = 0;
    for (int step = 0; step < 1000; ++step) {
        const DriftingBandit::Pull pull = told.next();
        const std::uint64_t more = pull.trial ? 0 : std::min<std::uint64_t>(told.undisturbed(), 7);
        told.observe(pull, times[pull.arm]);
        for (std::uint64_t k = 0; k < more; ++k, ++step) {
            told.repeated();
            told.observe(pull, times[pull.arm]);
        }
        trials_when_told += pull.trial ? 1 : 0;
    }
    EXPECT_EQ(trials_when_told, trials);
}

// What is believed never comes true, and the loop is said to change all the time.
TEST(DriftingBandit, TrialsHaveALimitUnderAllCircumstances) {
    DriftingBandit bandit(4, 0);
    Noise noise(3, 0.2);
    std::uint64_t trials = 0;
    constexpr int kSteps = 6000;
    for (int step = 0; step < kSteps; ++step) {
        if (step % 10 == 0) {
            bandit.widen(0.5);
            std::vector<double> predicted(4, 0.5);
            predicted[bandit.incumbent()] = 1;
            bandit.predict(predicted, 0.3);
        }
        const DriftingBandit::Pull pull = bandit.next();
        bandit.observe(pull, std::max(0.1, noise()));
        trials += pull.trial ? 1 : 0;
    }
    EXPECT_LE(trials, 20 + kSteps / 12U);
}

// A loop of 60 us whose executions take 5 us to learn from, when each is learnt from by itself.
TEST(DriftingBandit, WhereATrialCostsAQuarterOfAStepFewAreMade) {
    const auto play_with = [](double cost, double better) {
        DriftingBandit bandit = with_predictions({1, 1, 1.01, 1, 1.02}, 0.05);
        bandit.trials_cost(cost);
        Noise noise(11, 0.02);
        const std::uint64_t trials =
            play(bandit, 4000, [&](std::size_t choice, int) { return (choice == 3 ? better : 1) * noise(); }).trials;
        return std::pair(trials, bandit.incumbent());
    };
    EXPECT_GT(play_with(0, 1).first, 2 * play_with(0.25, 1).first);
    EXPECT_EQ(play_with(0.25, 0.93).second, 3U) << "and what is worth it is found all the same";
    EXPECT_LE(play_with(1e9, 1).first, 12U) << "an opening that took as long as 10^9 loops";
}

// A loop that finds next to nothing to do once: beside that a trial costs many executions, beside all others it does
// not.
TEST(DriftingBandit, OneStepBesideWhichATrialIsDearDoesNotEndTrials) {
    DriftingBandit bandit = with_predictions({1, 1.02, 1.02, 1.03}, 0.03);
    Noise noise(6, 0.02);
    const auto run = [&](int steps, double second) {
        return play(bandit, steps, [&](std::size_t choice, int) { return (choice == 1 ? second : 1.0) * noise(); });
    };
    std::uint64_t before = 0;
    for (int k = 0; k < 20; ++k) {
        bandit.widen(0.05);
        before += run(20, 1.05).trials;
    }
    ASSERT_GT(before, 20U);
    bandit.trials_cost(10);
    (void)bandit.next();
    EXPECT_GT(bandit.undisturbed(), 1000U);
    bandit.trials_cost(0);
    (void)bandit.next();
    EXPECT_LT(bandit.undisturbed(), 100U);
    bandit.widen(0.3);
    run(400, 0.7);
    EXPECT_EQ(bandit.incumbent(), 1U);
}

TEST(DriftingBandit, WorkThatGrowsDoesNotFavourTheFirstTechnique) {
    DriftingBandit bandit = with_predictions({1, 1}, 0.05);
    play(bandit, 400, [](std::size_t choice, int step) { return std::exp(0.02 * step) * (choice == 1 ? 0.97 : 1); });
    EXPECT_EQ(bandit.incumbent(), 1U);
    DriftingBandit shrinking(2, 0);
    shrinking.predict(std::vector<double>{1, 1}, 0.05);
    play(shrinking, 400,
         [](std::size_t choice, int step) { return std::exp(-0.02 * step) * (choice == 1 ? 1.03 : 1); });
    EXPECT_EQ(shrinking.incumbent(), 0U);
}

TEST(DriftingBandit, LateTimesOfAnEarlierHolderSayNothing) {
    DriftingBandit bandit(3, 0), told(3, 0);
    Noise noise(4, 0.01);
    const double times[] = {1, 0.8, 0.85};
    for (DriftingBandit* const one : {&bandit, &told}) one->predict(std::vector<double>{1, 0.9, 0.95}, 0.05);
    for (int step = 0; step < 400; ++step) {
        const DriftingBandit::Pull pull = bandit.next();
        const DriftingBandit::Pull same = told.next();
        ASSERT_EQ(pull.arm, same.arm) << step;
        ASSERT_EQ(pull.trial, same.trial) << step;
        const double time = times[pull.arm] * noise();
        bandit.observe(pull, time);
        told.observe(same, time);
        if (told.incumbent() != 0) told.observe({0, false}, 3);
    }
    EXPECT_EQ(told.incumbent(), 1U);
}

TEST(DriftingBandit, AnotherChoiceTakesOverWhenTheLoopChanges) {
    DriftingBandit bandit = with_predictions({1, 1.2}, 0.03);
    const auto time = [](std::size_t choice, int step) {
        return step < 200 ? (choice == 0 ? 1 : 1.2) : (choice == 0 ? 1.2 : 1);
    };
    play(bandit, 200, time);
    EXPECT_EQ(bandit.incumbent(), 0U);
    bandit.widen(0.2);
    bandit.predict(std::vector<double>{1.2, 1}, bandit.prediction_error());
    const Played run = play(bandit, 40, [&](std::size_t choice, int step) { return time(choice, step + 200); });
    EXPECT_EQ(bandit.incumbent(), 1U);
    EXPECT_LT(run.total, 40 * 1.05);
}

TEST(DriftingBandit, AChangeSurprisesTwiceInARowAndAnInterruptionDoesNot) {
    const auto surprises = [](int from, int until) {
        DriftingBandit bandit(2, 0);
        int twice = 0;
        for (int step = 0; step < 100; ++step) {
            bandit.observe(bandit.next(), step >= from && step < until ? 1.5 : 1);
            twice += bandit.surprised() == 2 ? 1 : 0;
        }
        return twice;
    };
    EXPECT_EQ(surprises(100, 100), 0) << "nothing happens";
    EXPECT_EQ(surprises(50, 51), 0) << "an interruption";
    EXPECT_EQ(surprises(50, 100), 1) << "a change";
    EXPECT_EQ(surprises(50, 70), 2) << "and back";
}

TEST(DriftingBandit, AnInterruptedTrialDoesNotCondemnAChoice) {
    DriftingBandit bandit = with_predictions({1, 1}, 0.03);
    bool interrupted = false;
    play(bandit, 300, [&](std::size_t choice, int) {
        if (choice == 0) return 1.0;
        const bool first = !interrupted;
        interrupted = true;
        return first ? 5.0 : 0.95;
    });
    EXPECT_EQ(bandit.incumbent(), 1U);
}

TEST(DriftingBandit, AnInterruptedHolderDoesNotLoseTheTitle) {
    // One step in ten takes twice as long, under every technique.
    int lost = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        DriftingBandit bandit = with_predictions({1, 1.02}, 0.03);
        std::mt19937_64 random(seed);
        std::normal_distribution<double> noise(1, 0.01);
        std::bernoulli_distribution struck(0.1);
        play(bandit, 300, [&](std::size_t choice, int) {
            return (choice == 1 ? 1.02 : 1) * noise(random) * (struck(random) ? 2 : 1);
        });
        lost += bandit.incumbent() != 0 ? 1 : 0;
    }
    EXPECT_LE(lost, 1);
}

TEST(DriftingBandit, ATitleWonByLuckIsWonBack) {
    DriftingBandit bandit = with_predictions({1, 1}, 0.03);
    // Two lucky trials, then the truth.
    std::uint64_t lucky = 0;
    int lost_at = -1;
    int won_back_at = -1;
    for (int step = 0; step < 1000; ++step) {
        const DriftingBandit::Pull pull = bandit.next();
        const bool luck = pull.arm == 1 && lucky < 2;
        lucky += luck ? 1 : 0;
        bandit.observe(pull, luck ? 0.93 : (pull.arm == 1 ? 1.02 : 1));
        if (lost_at < 0 && bandit.incumbent() == 1) lost_at = step;
        if (lost_at >= 0 && won_back_at < 0 && bandit.incumbent() == 0) won_back_at = step;
    }
    ASSERT_GE(lost_at, 0);
    EXPECT_GT(won_back_at, lost_at);
    EXPECT_LT(won_back_at, 600);
}

// Times that differ by a tenth and more from step to step, and a model that is wrong: one choice is said to save what
// it costs. A mean over runs, since single ones are luck.
double mean_under_noise(double deviation, double said, double truth, int steps) {
    constexpr int kRuns = 100;
    double sum = 0;
    for (int run = 0; run < kRuns; ++run) {
        DriftingBandit bandit(2, 0);
        Noise noise(static_cast<std::uint64_t>(run), deviation);
        const auto time = [&](std::size_t choice, int) { return (choice == 1 ? truth : 1.0) * std::max(noise(), 0.1); };
        play(bandit, 10, time);
        bandit.predict(std::vector<double>{1, said}, bandit.prediction_error());
        const Played played = play(bandit, steps, time);
        sum += 1 + (truth - 1) * static_cast<double>(played.pulls[1]) / steps;
    }
    return sum / kRuns;
}

TEST(DriftingBandit, APredictionDoesNotWinAgainstTheTrialsWhereAllIsNoise) {
    EXPECT_LT(mean_under_noise(0.1, 0.85, 1.2, 2000), 1.02);
    EXPECT_LT(mean_under_noise(0.1, 0.7, 1.5, 2000), 1.02);
}

TEST(DriftingBandit, ATitleWonAmongNoiseIsGivenBackWhenManyStepsTakeLonger) {
    EXPECT_LT(mean_under_noise(0.2, 0.8, 1.3, 2000), 1.03);
    EXPECT_LT(mean_under_noise(0.2, 0.7, 1.5, 2000), 1.03);
}

// Without trials of its own: the model's word is taken at first.
TEST(DriftingBandit, ATitleGivenOnTrustIsGivenBackWhenManyStepsTakeLonger) {
    int lost = 0;
    for (std::uint64_t run = 0; run < 50; ++run) {
        DriftingBandit bandit(2, 0);
        Noise noise(run, 0.2);
        const auto time = [&](std::size_t choice, int) { return (choice == 1 ? 1.5 : 1.0) * std::max(noise(), 0.1); };
        play(bandit, 20, time);
        bandit.predict(std::vector<double>{1, 0.8}, 0.03);
        bandit.promote_predicted();
        ASSERT_EQ(bandit.incumbent(), 1U);
        play(bandit, 400, time);
        lost += bandit.incumbent() == 1 ? 1 : 0;
    }
    EXPECT_LE(lost, 2);
}

// One choice is good with every other data and bad with the rest, the other one always the same: a step and its
// neighbours compare one kind of data with the other.
TEST(DriftingBandit, WhatIsGoodAndBadInTurnIsJudgedByItsSum) {
    for (const int period : {2, 3, 5}) {
        DriftingBandit bandit = with_predictions({1, 1.1}, 0.05);
        Noise noise(static_cast<std::uint64_t>(period), 0.02);
        const Played run = play(bandit, 600, [&](std::size_t choice, int step) {
            return (choice == 1 ? 1.5 : (step % period == 0 ? 6.0 : 1.0)) * noise();
        });
        EXPECT_EQ(bandit.incumbent(), 1U) << period;
        EXPECT_GT(run.pulls[1], 300U) << period;
    }
}

// Single steps have been tried before, and count as such.
TEST(DriftingBandit, APeriodThatIsFoundLateIsMetByTrialsSoon) {
    DriftingBandit bandit = with_predictions({1, 1.02, 1.02}, 0.05);
    Noise noise(3, 0.01);
    play(bandit, 3000, [&](std::size_t choice, int) { return (choice == 0 ? 1 : 1.2) * noise(); });
    bandit.widen(0.5);
    const Played run = play(bandit, 400, [&](std::size_t choice, int step) {
        return (choice == 0 ? (step % 8 == 0 ? 9.0 : 1.0) : 1.2) * noise();
    });
    EXPECT_EQ(bandit.row(), 8U);
    EXPECT_NE(bandit.incumbent(), 0U);
    EXPECT_GT(run.pulls[1] + run.pulls[2], 150U);
}

TEST(DriftingBandit, SingleStepsAreComparedAgainWhenThePeriodIsOver) {
    DriftingBandit bandit(2, 0);
    Noise noise(3, 0.01);
    play(bandit, 100, [&](std::size_t, int step) { return (step % 3 == 0 ? 2.0 : 1.0) * noise(); });
    EXPECT_EQ(bandit.row(), 3U);
    play(bandit, 100, [&](std::size_t, int) { return noise(); });
    EXPECT_EQ(bandit.row(), 3U) << "nothing differs: it may come again";
    Noise much(4, 0.3);
    play(bandit, 200, [&](std::size_t, int) { return std::max(much(), 0.1); });
    EXPECT_EQ(bandit.row(), 1U);
}

// Nor does one win whose good steps alone were met by its trials.
TEST(DriftingBandit, WhatIsFastWithOneKindOfDataOnlyTakesNoTitle) {
    DriftingBandit bandit = with_predictions({1, 1}, 0.1);
    Noise noise(7, 0.02);
    play(bandit, 600, [&](std::size_t choice, int step) {
        return (choice == 1 ? (step % 2 == 0 ? 0.5 : 3.0) : (step % 2 == 0 ? 1.5 : 1.0)) * noise();
    });
    EXPECT_EQ(bandit.incumbent(), 0U);
}

TEST(DriftingBandit, WorkThatGrowsAmongNoiseTakesNoTitle) {
    int kept = 0;
    for (std::uint64_t run = 0; run < 50; ++run) {
        DriftingBandit bandit = with_predictions({1, 0.9}, 0.03);
        Noise noise(run, 0.05);
        play(bandit, 400, [&](std::size_t choice, int step) {
            return (choice == 1 ? 0.85 : 1.0) * std::exp(0.01 * step) * std::max(noise(), 0.1);
        });
        kept += bandit.incumbent() == 1 ? 1 : 0;
    }
    EXPECT_GE(kept, 45);
}

// An image is restored in steps that get shorter from one to the next, and the next one begins anew.
TEST(DriftingBandit, WorkThatAlwaysChangesStillShowsThatAChoiceIsBad) {
    DriftingBandit bandit = with_predictions({1, 0.98}, 0.03);
    Noise noise(3, 0.02);
    const Played run = play(bandit, 400, [&](std::size_t choice, int step) {
        return std::pow(0.85, step % 12) * (choice == 1 ? 1.15 : 1) * noise();
    });
    EXPECT_EQ(bandit.incumbent(), 0U);
    EXPECT_LE(run.pulls[1], 6U);
}

TEST(DriftingBandit, AChoiceThatCannotBePredictedIsNeverTried) {
    DriftingBandit bandit = with_predictions({1, std::numeric_limits<double>::infinity()}, 0.03);
    const Played run = play(bandit, 500, [](std::size_t, int) { return 1.0; });
    EXPECT_EQ(run.pulls[1], 0U);
    EXPECT_EQ(bandit.second(), 0U);
}

TEST(DriftingBandit, ATrialThatNeverComesBackIsForgotten) {
    DriftingBandit bandit = with_predictions({1, 1}, 0.05);
    std::uint64_t lost = 0;
    for (int step = 0; step < 400; ++step) {
        const DriftingBandit::Pull pull = bandit.next();
        if (pull.trial && lost == 0) {
            ++lost;
            continue;
        }
        bandit.observe(pull, pull.arm == 1 ? 0.9 : 1);
    }
    EXPECT_EQ(lost, 1U);
    EXPECT_EQ(bandit.incumbent(), 1U);
}

TEST(DriftingBandit, TheModelsErrorIsMeasuredOnTrials) {
    DriftingBandit bandit = with_predictions({1, 1.01, 1.01}, 0.05);
    EXPECT_DOUBLE_EQ(bandit.prediction_error(), 0.03);
    Noise noise(3, 0.002);
    play(bandit, 300, [&](std::size_t choice, int) { return (choice == 0 ? 1 : 1.02) * noise(); });
    EXPECT_NEAR(bandit.prediction_error(), 0.01, 0.005) << "1.02 where 1.01 was said";
    EXPECT_EQ(bandit.incumbent(), 0U);
}

// The model knows nothing of caches: it is off by as much with every choice but the incumbent, each time it is asked.
TEST(DriftingBandit, WhatLosesAgainstEveryPredictionIsNotTriedWithEachOfThem) {
    constexpr std::size_t kArms = 12;
    DriftingBandit bandit(kArms, 0);
    Noise noise(5, 0.01);
    double total = 0;
    std::uint64_t trials = 0;
    constexpr int kRounds = 10, kSteps = 100;
    for (int round = 0; round < kRounds; ++round) {
        if (round > 0) bandit.widen(0.05);
        bandit.predict(std::vector<double>(kArms, 1), bandit.prediction_error());
        const Played run =
            play(bandit, kSteps, [&](std::size_t choice, int) { return (choice == 0 ? 1 : 1.3) * noise(); });
        total += run.total;
        trials += run.trials;
    }
    EXPECT_EQ(bandit.incumbent(), 0U);
    EXPECT_LE(trials, 2 * (kArms - 1)) << "a first time, and once more where it was much worse than said";
    EXPECT_LT(total, kRounds * kSteps * 1.008);
    // And when one of them becomes better, as the model says, it is found.
    bandit.widen(0.3);
    std::vector<double> better(kArms, 1);
    better[4] = 0.6;
    bandit.predict(better, bandit.prediction_error());
    play(bandit, 3 * kSteps, [&](std::size_t choice, int) {
        return (choice == 0 ? 1 : choice == 4 ? 0.9 : 1.3) * noise();
    });
    EXPECT_EQ(bandit.incumbent(), 4U);
}

TEST(DriftingBandit, TrustGivesTheTitleToTheBestPrediction) {
    DriftingBandit bandit = with_predictions({1, 0.9, 0.8}, 0.03);
    EXPECT_EQ(bandit.incumbent(), 0U);
    bandit.promote_predicted();
    EXPECT_EQ(bandit.incumbent(), 2U);
    EXPECT_NEAR(bandit.ratio(0), 1 / 0.8, 1e-9);
    EXPECT_NEAR(bandit.ratio(1), 0.9 / 0.8, 1e-9);
}

TEST(DriftingBandit, ATrialUnderWayWhenTheTitleChangesIsForgotten) {
    for (const std::size_t steps : {1U, 2U}) {
        DriftingBandit bandit(3, 0);
        play(bandit, 5, [](std::size_t, int) { return 1.0; });
        bandit.predict(std::vector<double>{1, 1.001, 1.2}, 0.03);
        const DriftingBandit::Pull trial = bandit.next();
        ASSERT_TRUE(trial.trial);
        ASSERT_EQ(trial.arm, 1U);
        if (steps == 2) bandit.observe(trial, 0.5);
        for (int i = 0; i < 50; ++i) bandit.predict(std::vector<double>{1, 0.5, 0.9}, 0.01);
        bandit.promote_predicted();
        ASSERT_EQ(bandit.incumbent(), 1U);
        if (steps == 1) bandit.observe(trial, 0.5);
        play(bandit, 200, [](std::size_t choice, int) { return choice == 1 ? 0.5 : 1.0; });
        EXPECT_EQ(bandit.incumbent(), 1U);
        EXPECT_NEAR(bandit.ratio(0), 2, 0.1) << "what is believed of the others is still a number";
        EXPECT_NEAR(bandit.ratio(2), 1.8, 0.1);
        bandit.widen(1);
        bandit.predict(std::vector<double>{1, 4, 3.6}, 0.01);
        const Played run = play(bandit, 100, [](std::size_t choice, int) { return choice == 0 ? 1.0 : 4.0; });
        EXPECT_EQ(bandit.incumbent(), 0U);
        EXPECT_LT(run.pulls[1], 50U);
        EXPECT_NEAR(bandit.ratio(1), 4, 0.5) << "and of who has held the title meanwhile";
    }
}

TEST(DriftingBandit, WhatIsBarredIsNotTriedAndWhatIsBelievedOfItIsKept) {
    DriftingBandit bandit = with_predictions({1, 0.8}, 0.03);
    bandit.bar(1, true);
    const auto time = [](std::size_t choice, int) { return choice == 1 ? 0.8 : 1.0; };
    EXPECT_EQ(play(bandit, 500, time).trials, 0U);
    EXPECT_EQ(bandit.second(), 0U);
    bandit.predict(std::vector<double>{1, 0.8}, 0.03);
    EXPECT_EQ(play(bandit, 500, time).trials, 0U) << "whatever is said of it meanwhile";
    bandit.bar(1, false);
    play(bandit, 100, time);
    EXPECT_EQ(bandit.incumbent(), 1U);
}

}  // namespace
