// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread's memory on scripted performance: speed(tick, where its pages are, beside which memory it runs).
#include "decide/memory_learner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "decide/move_limit.hpp"

namespace gimbal::pin {
namespace {

Settings quiet(OptimiserKind optimiser = OptimiserKind::al, EstimatorKind estimator = EstimatorKind::rl) {
    Settings settings;
    settings.numa_memory.estimator = estimator;
    settings.numa_memory.optimiser = optimiser;
    settings.al_lambda = 0;
    settings.rl_lambda = 0;
    return settings;
}

class ScriptedMemory {
public:
    explicit ScriptedMemory(const Settings& settings, std::size_t where = 0, std::size_t near = 0)
        : settings_(settings), learner_(settings_, 0), limit_(settings.memory_dwell, settings.memory_moves, 300) {
        learner_.enter(2, where, near);
    }

    /// @return reasons of all moves in these ticks
    template <class Speed>
    std::vector<Why> run(std::uint64_t ticks, const Speed& speed) {
        std::vector<Why> moves;
        for (std::uint64_t i = 0; i < ticks; ++i) {
            ++now_;
            learner_.see(speed(now_, learner_.where(), learner_.near()));
            if (!learner_.due()) continue;
            const std::size_t from = learner_.where();
            const std::uint64_t keep = settings_.memory + limit_.wait();
            const Move move = learner_.decide(limit_.may_move(now_), keep, 1, now_, random_);
            EXPECT_EQ(move.choice, learner_.where());
            if (move.choice == from) continue;
            limit_.moved(now_, static_cast<int>(from), static_cast<int>(move.choice));
            moves.push_back(move.why);
        }
        return moves;
    }
    void hop(std::size_t near) { learner_.moved_beside(near); }
    [[nodiscard]] std::size_t where() const { return learner_.where(); }
    [[nodiscard]] const MemoryLearner& learner() const { return learner_; }

private:
    Settings settings_;
    MemoryLearner learner_;
    MoveBackoff limit_;
    Random random_{7};
    std::uint64_t now_ = 0;
};

/// Far memory costs a share of the speed.
auto far_costs(double share) {
    return [=](std::uint64_t, std::size_t where, std::size_t near) { return where == near ? 1.0 : 1 - share; };
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PinMemoryLearner, TriesTheNearMemoryOnceTheFarOneHasBeenMeasuredAndStays) {
    for (const OptimiserKind optimiser : {OptimiserKind::al, OptimiserKind::rl}) {
        Settings settings = quiet(optimiser);
        settings.sure = 1;
        ScriptedMemory memory(settings, 1, 0);
        EXPECT_THAT(memory.run(9, far_costs(0.1)), IsEmpty());
        EXPECT_THAT(memory.run(1, far_costs(0.1)), ElementsAre(Why::followed));
        EXPECT_THAT(memory.run(3000, far_costs(0.1)), IsEmpty());
        EXPECT_EQ(memory.where(), 0u);
    }
}

TEST(PinMemoryLearner, AThreadThatMovedGetsItsMemoryAfterItAlsoIfTheLossIsWithinTheBand) {
    ScriptedMemory memory(quiet());
    EXPECT_THAT(memory.run(100, far_costs(0.1)), IsEmpty());
    memory.hop(1);
    EXPECT_THAT(memory.run(1000, far_costs(0.1)), ElementsAre(Why::followed));
    EXPECT_EQ(memory.where(), 1u);
}

TEST(PinMemoryLearner, ATrialThatIsNoGainIsUndoneOnceAndNotRepeated) {
    for (const OptimiserKind optimiser : {OptimiserKind::al, OptimiserKind::rl}) {
        for (const EstimatorKind estimator : {EstimatorKind::rl, EstimatorKind::apla, EstimatorKind::al}) {
            Settings settings = quiet(optimiser, estimator);
            settings.sure = 1;
            ScriptedMemory memory(settings);
            const auto speed = [](std::uint64_t, std::size_t where, std::size_t) { return where == 0 ? 1.0 : 0.85; };
            memory.run(100, speed);
            memory.hop(1);
            EXPECT_THAT(memory.run(2000, speed), ElementsAre(Why::followed, Why::undone));
            EXPECT_EQ(memory.where(), 0u);
        }
    }
}

TEST(PinMemoryLearner, WhereItMakesNoDifferenceItStaysNear) {
    ScriptedMemory memory(quiet(), 1, 0);
    EXPECT_THAT(memory.run(2000, far_costs(0)), ElementsAre(Why::followed));
}

TEST(PinMemoryLearner, AThreadThatHopsOnIsNotChased) {
    ScriptedMemory memory(quiet());
    std::size_t moves = 0;
    for (std::size_t hop = 0; hop < 200; ++hop) {
        moves += memory.run(9, far_costs(0.3)).size();  // less than a period on each node
        memory.hop((hop + 1) % 2);
    }
    EXPECT_EQ(moves, 0u);
}

TEST(PinMemoryLearner, ToAndFroIsFollowedEverMoreRarely) {
    ScriptedMemory memory(quiet());
    std::size_t moves = 0;
    constexpr std::size_t kHops = 240;
    for (std::size_t hop = 0; hop < kHops; ++hop) {
        moves += memory.run(25, far_costs(0.3)).size();
        memory.hop((hop + 1) % 2);
    }
    EXPECT_GE(moves, 1u);
    EXPECT_LE(moves, 30u);  // of 240; 20 minutes
}

TEST(PinMemoryLearner, MemoriesThatTakeTurnsInBeingBetterMakeNoStorm) {
    for (const OptimiserKind optimiser : {OptimiserKind::al, OptimiserKind::rl}) {
        Settings settings;
        settings.numa_memory.optimiser = optimiser;
        settings.al_lambda = settings.rl_lambda = 1;
        ScriptedMemory memory(settings);
        const auto speed = [](std::uint64_t now, std::size_t where, std::size_t) {
            return now / 50 % 2 == where ? 1.0 : 0.5;
        };
        EXPECT_LE(memory.run(300, speed).size(), settings.memory_moves);
        EXPECT_LE(memory.run(6000, speed).size(), 30u);  // 20 minutes
    }
}

TEST(PinMemoryLearner, SlowDriftUpwardsMovesNothing) {
    ScriptedMemory memory(quiet());
    const auto speed = [](std::uint64_t now, std::size_t where, std::size_t near) {
        return (where == near ? 1 : 0.7) * (1 + 0.002 * static_cast<double>(now));
    };
    EXPECT_THAT(memory.run(3000, speed), IsEmpty());
}

TEST(PinMemoryLearner, SlowDecayOfEverythingMovesItAFewTimesAtMostAndBack) {
    ScriptedMemory memory(quiet());
    const auto speed = [](std::uint64_t now, std::size_t where, std::size_t near) {
        return (where == near ? 1 : 0.7) * std::pow(0.9993, static_cast<double>(now));
    };
    EXPECT_LE(memory.run(3000, speed).size(), 20u);  // the speed falls to an eighth in ten minutes
    memory.run(300, [](std::uint64_t, std::size_t where, std::size_t near) { return where == near ? 0.12 : 0.08; });
    EXPECT_EQ(memory.where(), 0u);
}

TEST(PinMemoryLearner, ANearMemoryThatSlowlyBecomesTheWorseOneIsLeft) {
    ScriptedMemory memory(quiet());
    const auto speed = [](std::uint64_t now, std::size_t where, std::size_t near) {
        return where == near ? std::max(0.4, 1 - 0.0005 * static_cast<double>(now)) : 0.8;
    };
    memory.run(2500, speed);
    EXPECT_EQ(memory.where(), 1u);
}

TEST(PinMemoryLearner, ABlockedThreadTeachesNothing) {
    ScriptedMemory memory(quiet(), 1, 0);
    EXPECT_THAT(memory.run(500, [](std::uint64_t, std::size_t, std::size_t) { return 0.0; }), IsEmpty());
    EXPECT_THAT(memory.run(500, [](std::uint64_t, std::size_t, std::size_t) { return std::nan(""); }), IsEmpty());
    EXPECT_EQ(memory.learner().mean(), 0);
    EXPECT_TRUE(std::isnan(memory.learner().estimator().values()[1]));
}

TEST(PinMoveBackoff, EveryTripThereAndBackDoublesTheWaitBeforeTheNextUpToAMost) {
    MoveBackoff patience(10, 0, 300);
    std::uint64_t now = 5;
    EXPECT_TRUE(patience.may_move(now));
    for (const std::uint64_t wait : {20u, 40u, 80u, 160u, 320u, 320u}) {
        patience.moved(now, 0, 1);
        EXPECT_EQ(patience.wait(), 10u);  // a mistake is undone soon
        EXPECT_FALSE(patience.may_move(now + 9));
        now += 10;
        EXPECT_TRUE(patience.may_move(now));
        patience.moved(now, 1, 0);
        EXPECT_EQ(patience.wait(), wait);
        EXPECT_FALSE(patience.may_move(now + wait - 1));
        now += wait;
        EXPECT_TRUE(patience.may_move(now));
    }
    now += 16 * 320;
    patience.moved(now, 0, 1);
    patience.moved(now + 10, 1, 0);
    EXPECT_EQ(patience.wait(), 20u);  // it was calm
}

TEST(PinMoveBackoff, OnToAThirdIsNoWayBack) {
    MoveBackoff patience(10, 0, 300);
    patience.moved(5, 0, 1);
    patience.moved(15, 1, 2);
    EXPECT_EQ(patience.wait(), 10u);
}

}  // namespace
}  // namespace gimbal::pin
