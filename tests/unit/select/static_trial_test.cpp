// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/static_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace {

using gimbal::LoopRecord;
using gimbal::StaticTrial;
using gimbal::WorkerRecord;
using Outcome = gimbal::StaticTrial::Outcome;

constexpr double kNothingSaved = 0;

/// A loop and what comes between two of its executions.
class Chain {
public:
    /// One execution of so long, and so long until the next one begins [ticks].
    Outcome run(StaticTrial& trial, bool with_static, bool with_incumbent, std::uint64_t loop, std::uint64_t rest,
                double busy = 1) {
        const std::array<WorkerRecord, 2> workers = {
            WorkerRecord{.begin = now_, .end = now_ + loop, .chunks = 1, .iterations = 50},
            WorkerRecord{.begin = now_ + 1, .end = now_ + loop, .chunks = 1, .iterations = 50}};
        now_ += loop + rest;
        return trial.observe(with_static, with_incumbent,
                             {.iterations = 100,
                              .loop_time = static_cast<double>(loop),
                              .busy_mean = busy * static_cast<double>(loop),
                              .workers = workers},
                             kNothingSaved);
    }

    /// As a selector would: the incumbent, and static where the trial asks for it.
    Outcome until_settled(StaticTrial& trial, int executions, double loss, std::uint64_t held, std::uint64_t held_rest,
                          std::uint64_t with_static, std::uint64_t static_rest) {
        for (int i = 0; i < executions; ++i) {
            if (!trial.runs()) trial.begin(loss, kNothingSaved, false);
            const bool tried = trial.runs();
            // The first executions of a trial find cold caches.
            const std::uint64_t time = tried ? (in_trial_++ < 1 ? 3 * with_static : with_static) : held;
            if (!tried) in_trial_ = 0;
            const Outcome outcome = run(trial, tried, !tried, time, tried ? static_rest : held_rest);
            if (outcome != Outcome::none) return outcome;
        }
        return Outcome::none;
    }

    [[nodiscard]] std::uint64_t now() const { return now_; }

private:
    std::uint64_t now_ = 1;
    int in_trial_ = 0;
};

TEST(StaticTrial, StaticWinsWhatItDoesFasterOnceCachesAreWarm) {
    StaticTrial trial;
    EXPECT_EQ(Chain().until_settled(trial, 100, 0, 1000, 0, 900, 0), Outcome::won);
    EXPECT_NEAR(trial.ratio(), 0.9, 0.01);
}

TEST(StaticTrial, StaticLosesWhereItWaits) {
    StaticTrial trial;
    EXPECT_EQ(Chain().until_settled(trial, 200, 0.05, 1000, 5000, 1050, 5000), Outcome::lost);
    EXPECT_NEAR(trial.ratio(), 1.05, 0.01);
}

TEST(StaticTrial, IsGivenUpWhenTwoThatCountWereBehindUnlessTheLoopsAroundAreFaster) {
    const auto executions = [](std::uint64_t with_static, std::uint64_t static_rest) {
        StaticTrial trial;
        Chain chain;
        for (int i = 0; i < 40; ++i) chain.run(trial, false, true, 1000 + i % 2, 5000);
        trial.begin(0, kNothingSaved, true);
        int count = 0;
        for (; trial.runs(); ++count) chain.run(trial, true, false, with_static, static_rest);
        return count;
    };
    EXPECT_EQ(executions(1050, 5000), 5);
    EXPECT_EQ(executions(1001, 5000), 8) << "no more than noise";
    EXPECT_EQ(executions(1050, 4500), 8);
    EXPECT_EQ(executions(900, 5000), 8);
}

TEST(StaticTrial, TheLoopsAroundDecideIfTheyBecomeFaster) {
    StaticTrial trial;
    EXPECT_EQ(Chain().until_settled(trial, 200, 0.05, 1000, 5000, 1050, 4500), Outcome::won)
        << "it takes 50 longer, and what follows takes 500 less";
    StaticTrial other;
    EXPECT_EQ(Chain().until_settled(other, 200, 0, 1000, 5000, 950, 5500), Outcome::lost)
        << "it takes 50 less, and what follows takes 500 longer";
}

TEST(StaticTrial, LoopsAroundThatVaryByThemselvesDoNotDecide) {
    StaticTrial trial;
    Chain chain;
    for (std::uint64_t i = 0; i < 40; ++i) chain.run(trial, false, true, 1000, 4000 + 1000 * (i % 3));
    trial.begin(0, kNothingSaved, true);
    Outcome outcome = Outcome::none;
    while (trial.runs()) outcome = chain.run(trial, true, false, 950, 5500);
    EXPECT_EQ(outcome, Outcome::won) << "5500 is no more than they take now and then";
}

// Costs that are drawn anew in every execution: static loses a twentieth on average, and now and then it is lucky.
TEST(StaticTrial, WhereExecutionsDifferByThemselvesLuckIsNoLead) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(1, 0.05);
    int won = 0, trials = 0;
    for (int loop = 0; loop < 40; ++loop) {
        StaticTrial trial;
        Chain chain;
        for (int i = 0; i < 400; ++i) {
            trial.begin(0, kNothingSaved, true);
            const bool tried = trial.runs();
            const double time = (tried ? 1.05e6 : 1e6) * noise(random);
            const Outcome outcome = chain.run(trial, tried, !tried, static_cast<std::uint64_t>(time), 5000000);
            trials += outcome == Outcome::none ? 0 : 1;
            won += outcome == Outcome::won ? 1 : 0;
        }
    }
    EXPECT_GT(trials, 100);
    EXPECT_LE(won, trials / 50);
    StaticTrial trial;
    Chain chain;
    Outcome outcome = Outcome::none;
    for (int i = 0; i < 400 && outcome != Outcome::won; ++i) {
        trial.begin(0, kNothingSaved, true);
        const bool tried = trial.runs();
        outcome = chain.run(trial, tried, !tried, static_cast<std::uint64_t>((tried ? 0.85e6 : 1e6) * noise(random)),
                            5000000);
    }
    EXPECT_EQ(outcome, Outcome::won) << "a lead that is larger than that is one";
}

// A traversal whose threads find their data in their caches only under static, and wait; no execution is like another.
TEST(StaticTrial, RowsThatProveNothingAreTakenTogether) {
    constexpr int kLoops = 40;
    constexpr double kExpectedLoss = 0.1;
    std::mt19937_64 random(2);
    const auto outcomes = [&random](double with_static) {
        std::lognormal_distribution<double> held(0, 0.25), tried(0, 0.13);
        int won = 0, asked = 0;
        for (int loop = 0; loop < kLoops; ++loop) {
            StaticTrial trial;
            Chain chain;
            Outcome outcome = Outcome::none;
            for (int i = 0; i < 600 && outcome != Outcome::won; ++i) {
                if (!trial.runs()) trial.begin(kExpectedLoss, kNothingSaved, false);
                const bool runs = trial.runs();
                const double time = runs ? with_static * tried(random) : 190e3 * held(random);
                outcome = chain.run(trial, runs, !runs, static_cast<std::uint64_t>(time), 900'000);
                asked += outcome == Outcome::none ? 0 : 1;
            }
            won += outcome == Outcome::won ? 1 : 0;
        }
        EXPECT_GT(asked, kLoops / 2);
        return won;
    };
    EXPECT_GE(outcomes(150e3), kLoops * 3 / 4);
    EXPECT_LE(outcomes(200e3), kLoops / 20) << "static is slower";
}

// Three executions follow each other closely, and then there is nothing for a while: the median is one of both.
TEST(StaticTrial, TimesOfTwoKindsProveNothing) {
    StaticTrial trial;
    Chain chain;
    for (std::uint64_t i = 0; i < 61; ++i)
        chain.run(trial, false, true, 150'000 + i % 7 * 1000, i % 3 == 2 ? 600'000 : 0);
    trial.begin(0, kNothingSaved, true);
    for (std::uint64_t i = 0; trial.runs(); ++i) chain.run(trial, true, false, 140'000, i % 2 * 600'000);
    EXPECT_LT(trial.ratio(), 1.05) << "that more of them were of the longer kind is no loss";
}

// The clock of the whole machine rises and falls: a row that runs meanwhile is no lead of static's, where it was seen
// to be slower. Where it has become faster for good that shows by what follows.
TEST(StaticTrial, WhereStaticWasBehindALeadMustOutlastItsRow) {
    const auto outcome_after = [](std::uint64_t with_static, std::uint64_t held_afterwards) {
        StaticTrial trial;
        Chain chain;
        EXPECT_EQ(chain.until_settled(trial, 200, 0.05, 1000, 5000, 1050, 5000), Outcome::lost);
        for (int i = 0; i < 200; ++i) chain.run(trial, false, true, 1000 + i % 3, 5000);
        trial.begin(0, kNothingSaved, true);
        EXPECT_TRUE(trial.runs());
        while (trial.runs()) EXPECT_EQ(chain.run(trial, true, false, with_static, 5000), Outcome::none);
        Outcome outcome = Outcome::none;
        for (int i = 0; i < 16 && outcome == Outcome::none; ++i)
            outcome = chain.run(trial, false, true, held_afterwards + static_cast<std::uint64_t>(i % 3), 5000);
        return outcome;
    };
    EXPECT_EQ(outcome_after(840, 800), Outcome::lost) << "all is faster now";
    EXPECT_EQ(outcome_after(840, 1000), Outcome::won);
}

TEST(StaticTrial, OneInterruptedExecutionDoesNotEndARow) {
    StaticTrial trial;
    Chain chain;
    for (int i = 0; i < 40; ++i) chain.run(trial, false, true, 1000, 0);
    trial.begin(0, kNothingSaved, true);
    Outcome outcome = Outcome::none;
    for (int i = 0; trial.runs(); ++i) outcome = chain.run(trial, true, false, i == 4 ? 3000 : 900, 0);
    EXPECT_EQ(outcome, Outcome::won);
}

TEST(StaticTrial, TwoInterruptedExecutionsDoNotEndARowWhoseOthersLead) {
    StaticTrial trial;
    Chain chain;
    for (int k = 0; k < 40; ++k) chain.run(trial, false, true, 1000, 100);
    trial.begin(0.01, kNothingSaved, true);
    Outcome outcome = Outcome::none;
    for (int k = 0; trial.runs(); ++k) outcome = chain.run(trial, true, false, k == 2 || k == 5 ? 40'000 : 800, 100);
    EXPECT_EQ(outcome, Outcome::won);
}

// Work that shrinks for a while and then is large again: static's turn may come when there is little of it.
TEST(StaticTrial, ALoopThatBecomesShorterByItselfIsNoLead) {
    for (const double shrinks : {0.999, 0.99, 0.97, 0.9, 0.8}) {
        for (const int length : {12, 60, 1000}) {
            StaticTrial trial;
            Chain chain;
            int trials = 0;
            for (int i = 0; i < 1200; ++i) {
                trial.begin(0, kNothingSaved, true);
                const bool tried = trial.runs();
                const double work = 1e6 * std::max(std::pow(shrinks, i % length), 0.1);
                const Outcome outcome =
                    chain.run(trial, tried, !tried, static_cast<std::uint64_t>((tried ? 1.04 : 1) * work), 3000000);
                trials += outcome == Outcome::none ? 0 : 1;
                EXPECT_NE(outcome, Outcome::won) << shrinks << " " << length << " " << i;
            }
            EXPECT_TRUE(trials >= 2 || shrinks < 0.95) << shrinks << " " << length;
        }
    }
}

TEST(StaticTrial, WhereNoLeadWouldShowNothingIsTried) {
    StaticTrial trial;
    Chain chain;
    for (int i = 0; i < 2000; ++i) {
        trial.begin(0, kNothingSaved, true);
        ASSERT_FALSE(trial.runs()) << i;
        const auto time = static_cast<std::uint64_t>(1e6 * std::pow(0.8, i % 12));
        chain.run(trial, false, true, time, time);
    }
}

TEST(StaticTrial, WaitsTheLongerTheMoreItIsExpectedToLose) {
    for (const double loss : {0.01, 0.1, 0.5}) {
        StaticTrial trial;
        Chain chain;
        int executions = 0;
        for (; !trial.runs() && executions < 10000; ++executions) {
            chain.run(trial, false, true, 1000, 0);
            trial.begin(loss, kNothingSaved, false);
        }
        // If the loss is large, one execution of a first row shows whether there is anything to gain.
        const double due = loss < 0.15 ? 8 * loss / 0.01 : loss / 0.0025;
        EXPECT_GE(executions, due) << loss;
        EXPECT_LE(executions, std::max(17.0, due + 2)) << loss;
        while (trial.runs()) chain.run(trial, true, false, 1000 + static_cast<std::uint64_t>(1000 * loss), 0);
        for (executions = 0; !trial.runs() && executions < 10000; ++executions) {
            chain.run(trial, false, true, 1000, 0);
            trial.begin(loss, kNothingSaved, false);
        }
        const double part = loss < 0.15 ? 0.01 : 0.003;
        EXPECT_NEAR(executions, 2 * 8 * loss / part, 33) << "it has lost one";
    }
}

// Static waits for a third of the time. Either its threads are busy as long as the incumbent's, or they find their
// data.
TEST(StaticTrial, ARowEndsAfterOneExecutionUnlessThreadsAreLessBusyOrMore) {
    const auto row = [](std::uint64_t first, std::uint64_t later, double busy) {
        StaticTrial trial;
        Chain chain;
        for (int i = 0; i < 200; ++i) {
            chain.run(trial, false, true, 1000, 0, 0.99);
            trial.begin(0.33, kNothingSaved, false);
            if (trial.runs()) break;
        }
        int executions = 0;
        for (; trial.runs(); ++executions) chain.run(trial, true, false, executions < 1 ? first : later, 0, busy);
        return executions;
    };
    EXPECT_EQ(row(1490, 1490, 0.66), 1) << "0.98 of the incumbent's";
    EXPECT_EQ(row(1490, 900, 0.9), 8) << "cold caches";
    EXPECT_EQ(row(900, 900, 0.66), 8);
}

TEST(StaticTrial, WhatIsFarSlowerIsGivenUpAtOnce) {
    StaticTrial trial;
    Chain chain;
    for (int i = 0; i < 20; ++i) chain.run(trial, false, true, 1000, 0);
    trial.begin(0, kNothingSaved, true);
    int executions = 0;
    Outcome outcome = Outcome::none;
    for (; trial.runs(); ++executions) outcome = chain.run(trial, true, false, 5000, 0);
    EXPECT_EQ(executions, 2);
    EXPECT_EQ(outcome, Outcome::lost);
    EXPECT_NEAR(trial.ratio(), 5, 0.01);
}

TEST(StaticTrial, NothingIsTriedWhereNobodyKnowsWhatItCosts) {
    StaticTrial trial;
    Chain chain;
    for (int i = 0; i < 10000; ++i) {
        chain.run(trial, false, true, 1000, 0);
        trial.begin(std::numeric_limits<double>::infinity(), kNothingSaved, true);
        ASSERT_FALSE(trial.runs());
    }
}

TEST(StaticTrial, ATimeThatStaticHadBeforeCallsForOneAtOnce) {
    StaticTrial trial;
    Chain chain;
    for (int look = 0; look < 5; ++look) chain.run(trial, true, false, 800, 0);
    int executions = 0;
    for (; !trial.runs() && executions < 1000; ++executions) {
        chain.run(trial, false, true, 1000, 0);
        trial.begin(0.5, kNothingSaved, false);
    }
    EXPECT_LE(executions, 16);
}

// One look, in which a thread came late: the others waited half of the time, and were busy for less than they are now.
TEST(StaticTrial, ThreadsThatWereLessBusyUnderStaticCallForOneAtOnce) {
    const auto executions = [](double busy) {
        StaticTrial trial;
        Chain chain;
        chain.run(trial, true, false, 1800, 0, busy);
        int count = 0;
        for (; !trial.runs() && count < 400; ++count) {
            chain.run(trial, false, true, 1000, 0);
            trial.begin(0.25, kNothingSaved, false);
        }
        return count;
    };
    EXPECT_LE(executions(0.4), 20) << "a quarter more than 720 is less than 1000";
    EXPECT_GE(executions(0.5), 99);
}

// Static ran three times, to be looked at; what came after it runs for the sixth time.
TEST(StaticTrial, ThreeLooksAndSixExecutionsOfWhatCameAfterThemAreATrial) {
    const auto compare = [](std::uint64_t with_static, std::uint64_t with_incumbent, int looks = 3) {
        StaticTrial trial;
        Chain chain;
        for (int look = 0; look < looks; ++look) chain.run(trial, true, false, with_static, 0);
        for (int k = 0; k < 5; ++k)
            EXPECT_EQ(chain.run(trial, false, true, with_incumbent, 0), StaticTrial::Outcome::none);
        const StaticTrial::Outcome outcome = chain.run(trial, false, true, with_incumbent, 0);
        if (outcome == StaticTrial::Outcome::won) {
            EXPECT_NEAR(trial.ratio(), static_cast<double>(with_static) / static_cast<double>(with_incumbent), 1e-3);
        }
        for (int k = 0; k < 5; ++k)
            EXPECT_EQ(chain.run(trial, false, true, with_incumbent, 0), StaticTrial::Outcome::none) << "once";
        return outcome;
    };
    EXPECT_EQ(compare(800, 1000), StaticTrial::Outcome::won);
    EXPECT_EQ(compare(970, 1000), StaticTrial::Outcome::none) << "may be noise";
    EXPECT_EQ(compare(1200, 1000), StaticTrial::Outcome::none);
    EXPECT_EQ(compare(800, 1000, 2), StaticTrial::Outcome::none) << "two looks";
}

// A loop of 25 us: half of the first executions took 140.
TEST(StaticTrial, InterruptedFirstExecutionsDoNotMakeStaticWin) {
    StaticTrial trial;
    Chain chain;
    for (const std::uint64_t look : {28'000U, 28'400U, 27'700U}) chain.run(trial, true, false, look, 0);
    for (const std::uint64_t held : {140'000U, 160'000U, 124'000U, 25'400U, 24'100U, 24'300U})
        EXPECT_EQ(chain.run(trial, false, true, held, 0), Outcome::none);
}

TEST(StaticTrial, WhatTheLastTrialLostTheNextOneIsExpectedToLose) {
    const auto waits_after = [](std::uint64_t with_static) {
        StaticTrial trial;
        Chain chain;
        int executions = 0;
        for (int round = 0; round < 2; ++round) {
            for (executions = 0; !trial.runs(); ++executions) {
                chain.run(trial, false, true, 1000, 0);
                trial.begin(0, kNothingSaved, false);
            }
            while (trial.runs()) chain.run(trial, true, false, with_static, 0);
        }
        return executions;
    };
    EXPECT_GT(waits_after(1140), 5 * waits_after(1010)) << "by the profile neither loses anything";
}

TEST(StaticTrial, AfterALossItWaitsTwiceAsLong) {
    StaticTrial trial;
    Chain chain;
    int last = 0;
    for (int round = 0; round < 4; ++round) {
        int executions = 0;
        while (!trial.runs()) {
            chain.run(trial, false, true, 1000, 0);
            trial.begin(0, kNothingSaved, false);
            ++executions;
        }
        while (trial.runs()) chain.run(trial, true, false, 1100, 0);
        if (round > 1) {
            EXPECT_NEAR(executions, 2 * last, 1);
        }
        last = executions;
    }
}

TEST(StaticTrial, WhatAnEarlierRunFoundIsTriedAgainBeforeLong) {
    const auto executions = [](std::uint16_t wait) {
        gimbal::ByteWriter kept;
        kept.put(wait);
        gimbal::ByteReader from(kept.bytes());
        StaticTrial trial;
        Chain chain;
        trial.restore(from);
        int count = 0;
        while (!trial.runs() && count < 10'000) {
            chain.run(trial, false, true, 1000, 0);
            trial.begin(0, kNothingSaved, false);
            ++count;
        }
        return count;
    };
    EXPECT_LT(executions(4096), 100);
    EXPECT_GT(executions(4096), executions(16));
}

TEST(StaticTrial, CancelledExecutionsAndClocksThatDoNotAdvanceSayNothing) {
    StaticTrial trial;
    const LoopRecord cancelled{.iterations = 0, .loop_time = 5};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(trial.observe(false, true, cancelled, 0), Outcome::none);
    trial.begin(0, kNothingSaved, true);
    EXPECT_FALSE(trial.runs()) << "there is nothing to compare with";
    const std::array<WorkerRecord, 1> at_zero = {WorkerRecord{.begin = 0, .end = 1000, .chunks = 1, .iterations = 100}};
    const LoopRecord virtual_time{.iterations = 100, .loop_time = 1000, .workers = at_zero};
    for (int i = 0; i < 20; ++i) trial.observe(false, true, virtual_time, 0);
    trial.begin(0, kNothingSaved, true);
    Outcome outcome = Outcome::none;
    while (trial.runs()) outcome = trial.observe(true, false, virtual_time, 0);
    EXPECT_EQ(outcome, Outcome::lost) << "no faster";
}

TEST(StaticTrial, WhatIsBrokenOffBeginsAnewWhenTheIncumbentHasBeenSeenAgain) {
    StaticTrial trial;
    Chain chain;
    for (int i = 0; i < 40; ++i) chain.run(trial, false, true, 1000, 100);
    trial.begin(0, kNothingSaved, false);
    ASSERT_TRUE(trial.runs());
    EXPECT_EQ(chain.run(trial, true, false, 500, 100), Outcome::none);
    trial.break_off();
    EXPECT_FALSE(trial.runs());
    EXPECT_FALSE(trial.may_begin());
    EXPECT_EQ(chain.until_settled(trial, 60, 0, 1000, 100, 1200, 100), Outcome::lost) << "a whole row of its own";
}

}  // namespace
