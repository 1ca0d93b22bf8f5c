// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/coordinator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace gimbal::levels;

constexpr double kHopeless = std::numeric_limits<double>::infinity();
constexpr PairTable kTable{4, 4};

/// Four techniques at each level: pair (r, t) takes 100 + 10 r + t, unless a test says otherwise.
std::vector<double> ladder() {
    std::vector<double> times(kTable.size());
    for (std::size_t i = 0; i < times.size(); ++i)
        times[i] = 100 + 10.0 * kTable.pair(i).ranks + kTable.pair(i).threads;
    return times;
}

/// A loop whose pairs take what `times` has, with some noise that repeats, and a model that believes `predicted`.
class Loop {
public:
    explicit Loop(Pair first, std::vector<double> times_)
        : times(times_), predicted(std::move(times_)), coordinator(kTable, first, [this](Pair, std::span<double> out) {
              ++asked;
              if (asked <= delay) return false;
              std::copy(predicted.begin(), predicted.end(), out.begin());
              return true;
          }) {}

    PairTurn step() {
        const PairTurn turn = coordinator.next();
        if (steps > 0 && turn.pair.ranks != last.ranks && turn.pair.threads != last.threads) ++both_moved;
        last = turn.pair;
        ran.insert(kTable.index(turn.pair));
        double time = times[kTable.index(turn.pair)] * (steps % 2 == 0 ? 1 + noise : 1 - noise);
        const bool stopped = time > turn.limit;
        if (stopped) time = turn.limit + times[kTable.index(turn.rest)] / 2;
        stops += stopped ? 1 : 0;
        coordinator.learn(turn, {.time = time, .stopped = stopped});
        ++steps;
        return turn;
    }
    void run(int count) {
        for (int i = 0; i < count; ++i) step();
    }

    std::vector<double> times, predicted;
    double noise = 0.005;
    int asked = 0, delay = 0;
    int steps = 0, both_moved = 0, stops = 0;
    Pair last;
    std::set<std::size_t> ran;
    Coordinator coordinator;
};

TEST(Coordinator, RunsTheFirstPairUntilThereIsAPrediction) {
    Loop loop({3, 3}, ladder());
    loop.delay = 7;
    for (int i = 0; i < 7; ++i) {
        const PairTurn turn = loop.step();
        EXPECT_EQ(turn.pair, (Pair{3, 3}));
        EXPECT_FALSE(turn.trial);
        EXPECT_TRUE(std::isinf(turn.limit));
    }
    loop.run(20);
    EXPECT_FALSE(loop.coordinator.incumbent() == (Pair{3, 3}));
}

TEST(Coordinator, FindsTheBestPairAndMovesOneLevelAtATime) {
    for (std::size_t first = 0; first < kTable.size(); ++first) {
        SCOPED_TRACE(first);
        Loop loop(kTable.pair(first), ladder());
        loop.run(100);
        EXPECT_EQ(loop.coordinator.incumbent().ranks, 0U);
        EXPECT_EQ(loop.both_moved, 0);
    }
}

TEST(Coordinator, KeepsFourPairsAtMostAndTriesEachTwice) {
    Loop loop({0, 0}, std::vector<double>(kTable.size(), 100));  // nobody differs: every rank technique may be better
    loop.run(2);
    EXPECT_LE(loop.coordinator.kept().size(), 4U);
    const std::vector<std::size_t> kept(loop.coordinator.kept().begin(), loop.coordinator.kept().end());
    ASSERT_FALSE(kept.empty());
    std::set<std::uint32_t> ranks;
    for (const std::size_t pair : kept) EXPECT_TRUE(ranks.insert(kTable.pair(pair).ranks).second);
    loop.run(60);
    for (const std::size_t pair : kept) EXPECT_GE(loop.coordinator.beliefs().trials(pair), 2U);
    EXPECT_TRUE(loop.coordinator.settled());
    EXPECT_EQ(loop.coordinator.incumbent(), (Pair{0, 0}));
}

TEST(Coordinator, HopelessPairsNeverRun) {
    std::vector<double> times = ladder();
    for (std::uint32_t t = 0; t < 4; ++t) times[kTable.index({2, t})] = 1e6;
    Loop loop({1, 1}, times);
    for (std::uint32_t t = 0; t < 4; ++t) loop.predicted[kTable.index({2, t})] = kHopeless;
    loop.run(300);
    for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(loop.ran.count(kTable.index({2, t})), 0U);
    EXPECT_EQ(loop.coordinator.incumbent().ranks, 0U);
}

TEST(Coordinator, ATrialEndsAtTwiceTheIncumbentsTimeAndIsRepeatedOnce) {
    std::vector<double> times = ladder();
    times[kTable.index({0, 0})] = 5000;  // the model thinks it the best
    Loop loop({1, 0}, times);
    loop.predicted = ladder();
    for (int i = 0; i < 30; ++i) {
        const Pair incumbent = loop.coordinator.incumbent();
        const double reference = loop.coordinator.beliefs().reference();
        const PairTurn turn = loop.step();
        if (!turn.trial) continue;
        EXPECT_EQ(turn.rest, incumbent);
        EXPECT_EQ(turn.limit, 2 * reference);
    }
    EXPECT_EQ(loop.stops, 2);
    // Then once when the model is asked again, and ever more seldom.
    loop.run(2000);
    EXPECT_GE(loop.stops, 3);
    EXPECT_LE(loop.stops, 7);
    EXPECT_FALSE(loop.coordinator.incumbent() == (Pair{0, 0}));
}

TEST(Coordinator, OneInterruptionBarsNoPair) {
    for (const int interrupted : {1, 2}) {
        std::vector<double> times(kTable.size(), 120);
        times[kTable.index({0, 0})] = 100;
        times[kTable.index({1, 1})] = 60;
        times[kTable.index({2, 0})] = 90;
        Loop loop({0, 0}, times);
        for (int left = interrupted; left > 0;) {
            const PairTurn turn = loop.coordinator.next();
            const bool stopped = turn.pair == Pair{1, 1};
            const double time = stopped ? turn.limit + 50 : times[kTable.index(turn.pair)];
            loop.coordinator.learn(turn, {.time = time, .stopped = stopped});
            left -= stopped;
        }
        loop.run(30);
        // The second one in a row has it wait until the model is asked again, and leaves the others where they are.
        EXPECT_EQ(loop.coordinator.incumbent(), interrupted == 1 ? (Pair{1, 1}) : (Pair{2, 0}));
        loop.run(200);
        EXPECT_EQ(loop.coordinator.incumbent(), (Pair{1, 1})) << interrupted;
    }
}

TEST(Coordinator, ASwitchNeedsTwoStandardErrors) {
    // The model finds pair (1, 1) 4 % better; in truth it is 4 % worse. No trial may make it the incumbent.
    std::vector<double> times(kTable.size(), 120);
    times[kTable.index({0, 0})] = 100;
    times[kTable.index({1, 1})] = 104;
    Loop loop({0, 0}, times);
    loop.predicted[kTable.index({1, 1})] = 96;
    for (int i = 0; i < 200; ++i) {
        loop.step();
        EXPECT_EQ(loop.coordinator.incumbent(), (Pair{0, 0}));
    }
    // One that is 4 % better, as predicted: the prediction alone is not enough, one trial or two are.
    Loop other({0, 0}, times);
    other.times[kTable.index({1, 1})] = other.predicted[kTable.index({1, 1})] = 96;
    while (other.coordinator.beliefs().trials(kTable.index({1, 1})) == 0 && other.steps < 50) {
        EXPECT_EQ(other.coordinator.incumbent(), (Pair{0, 0}));
        other.step();
        if (other.coordinator.incumbent() == (Pair{1, 1})) break;
    }
    other.run(20);
    EXPECT_EQ(other.coordinator.incumbent(), (Pair{1, 1}));
}

/// In how many of 100 runs of 1000 steps another pair than the first, which is the better one, was ever the incumbent;
/// and the mean time of a step.
std::pair<int, double> with_a_wrong_model(double predicted, double truth, double noise) {
    int taken = 0;
    double all = 0;
    for (unsigned run = 0; run < 100; ++run) {
        std::mt19937 generator(run);
        std::normal_distribution<> error(0, noise);
        Coordinator coordinator({2, 1}, {0, 0}, [predicted](Pair, std::span<double> out) {
            out[0] = 1;
            out[1] = predicted;
            return true;
        });
        bool was_taken = false;
        for (int step = 0; step < 1000; ++step) {
            const PairTurn turn = coordinator.next();
            const double mean = turn.pair.ranks == 1 ? truth : 1;
            const double time = mean * std::exp(error(generator));
            all += mean;
            coordinator.learn(turn, {.time = std::min(time, turn.limit), .stopped = time > turn.limit});
            was_taken |= coordinator.incumbent().ranks == 1;
        }
        taken += was_taken;
    }
    return {taken, all / 1e5};
}

// The model is off by a fifth and more: with 2 % noise the slower pair became the incumbent in 100, 97 and 5 runs, with
// 10 % in 89, 92 and 92, and stayed.
TEST(Coordinator, NoModelTalksASlowerPairIn) {
    for (const auto& [predicted, truth] : {std::pair{0.9, 1.1}, {0.85, 1.2}, {0.7, 1.5}}) {
        EXPECT_EQ(with_a_wrong_model(predicted, truth, 0.02).first, 0) << predicted;
        const auto [taken, mean] = with_a_wrong_model(predicted, truth, 0.1);
        EXPECT_LE(taken, 20) << predicted;
        EXPECT_LT(mean, 1.005) << predicted << ": who was taken by luck is not kept";
    }
}

// The model has two techniques of the threads the wrong way round, and the better one runs on the way only.
TEST(Coordinator, APairThatOnlyRanOnTheWayCanBecomeTheIncumbent) {
    std::vector<double> times(kTable.size(), 140);
    times[kTable.index({1, 0})] = 120;
    times[kTable.index({0, 0})] = 98;
    times[kTable.index({0, 1})] = 100;
    Loop loop({1, 0}, times);
    loop.predicted[kTable.index({0, 0})] = 100.5;
    loop.run(200);
    EXPECT_EQ(loop.coordinator.incumbent(), (Pair{0, 0}));
}

TEST(Coordinator, DropsRecordsOfAnOtherEpoch) {
    Loop loop({0, 0}, ladder());
    loop.run(10);
    const unsigned before = loop.coordinator.beliefs().reference_steps();
    const double reference = loop.coordinator.beliefs().reference();
    for (const Level level : {Level::ranks, Level::threads}) {
        const PairTurn turn = loop.coordinator.next();
        loop.coordinator.note_change(level);  // somebody else, while it ran
        loop.coordinator.learn(turn, {.time = 1e9});
    }
    EXPECT_EQ(loop.coordinator.dropped(), 2U);
    EXPECT_EQ(loop.coordinator.beliefs().reference_steps(), before);
    EXPECT_EQ(loop.coordinator.beliefs().reference(), reference);
}

TEST(Coordinator, AMigrationTaintsTheStepThatRunsAndTwoMore) {
    Loop loop({0, 0}, ladder());
    loop.run(40);
    const PairTurn turn = loop.coordinator.next();
    loop.coordinator.note_change(Level::placement);
    loop.coordinator.learn(turn, {.time = 1e9});
    const double reference = loop.coordinator.beliefs().reference();
    for (int i = 0; i < 2; ++i) loop.coordinator.learn(loop.coordinator.next(), {.time = 1e9});
    EXPECT_EQ(loop.coordinator.dropped(), 3U);
    EXPECT_EQ(loop.coordinator.beliefs().reference(), reference);
    loop.step();
    EXPECT_EQ(loop.coordinator.dropped(), 3U);
}

TEST(Coordinator, LearnsStillWherePlacementNeverRests) {
    Loop loop({3, 3}, ladder());
    for (int i = 0; i < 400; ++i) {
        loop.coordinator.note_change(Level::placement);
        loop.step();
    }
    EXPECT_GT(loop.coordinator.dropped(), 300U);
    EXPECT_EQ(loop.coordinator.incumbent().ranks, 0U);
}

TEST(Coordinator, AsksAnewWhenTheIncumbentsTimeChanges) {
    Loop loop({0, 0}, ladder());
    loop.run(100);
    EXPECT_EQ(loop.coordinator.reopened(), 0U);
    ASSERT_EQ(loop.coordinator.incumbent().ranks, 0U);
    // Now the last technique of the ranks is the best.
    for (std::size_t i = 0; i < kTable.size(); ++i) loop.times[i] = 200 - loop.times[i] / 2;
    loop.predicted = loop.times;
    loop.run(100);
    EXPECT_GE(loop.coordinator.reopened(), 1U);
    EXPECT_EQ(loop.coordinator.incumbent().ranks, 3U);
    EXPECT_EQ(loop.both_moved, 0);
}

TEST(Coordinator, AsksAgainWhenNothingChangesEverMoreSeldom) {
    Loop loop({0, 0}, ladder());
    loop.run(1000);
    EXPECT_TRUE(loop.coordinator.settled());
    EXPECT_GE(loop.asked, 4);
    EXPECT_LE(loop.asked, 8);
    EXPECT_EQ(loop.coordinator.reopened(), 0U);
}

}  // namespace
