// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/placer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toy.hpp"

namespace gimbal::pin {
namespace {

Settings unguarded() {
    Settings settings;
    settings.guard = false;
    return settings;
}

std::vector<Sample> all_at(std::size_t threads, double speed, bool valid = true) {
    std::vector<Sample> samples;
    for (ThreadId id = 0; id < threads; ++id) samples.push_back({id, speed, valid});
    return samples;
}

TEST(PinPlacer, FirstPlacementsFillCoresRoundRobinNodeByNode) {
    Placer placer(unguarded(), MachineView(uniform_machine(2, 2)), 1);
    std::vector<int> pus;
    for (ThreadId id = 0; id < 6; ++id) {
        const Decision decision = placer.join(id);
        EXPECT_FALSE(decision.released);
        EXPECT_EQ(decision.why, Why::joined);
        pus.push_back(decision.pus.front());
    }
    EXPECT_THAT(pus, testing::ElementsAre(0, 1, 2, 3, 0, 1));
}

TEST(PinPlacer, OneNodeWithOneCoreIsANoOp) {
    Settings settings = unguarded();
    settings.al_lambda = 1;
    settings.rl_lambda = 1;
    settings.bind_memory = true;
    settings.zeta = 0;
    Placer placer(settings, MachineView(uniform_machine(1, 1)), 1);
    for (ThreadId id = 0; id < 3; ++id) placer.join(id);
    for (int tick = 0; tick < 500; ++tick) EXPECT_TRUE(placer.tick(all_at(3, tick % 50 < 25 ? 1 : 0.01)).empty());
}

TEST(PinPlacer, OneNodeNeverDecidesOverNodes) {
    Settings settings = unguarded();
    settings.al_lambda = 1;
    settings.al_seek = 1;
    settings.team = settings.rotate = false;
    Toy toy(settings, uniform_machine(1, 4), 1);
    for (ThreadId id = 0; id < 6; ++id) toy.join(id);
    toy.run(300);
    for (const auto& [id, thread] : toy.placer.threads())
        EXPECT_TRUE(thread.why == Why::joined || thread.why == Why::learnt || thread.why == Why::explored);
}

TEST(PinPlacer, BlockedThreadsAreLeftAlone) {
    Settings settings = unguarded();
    settings.al_lambda = 1;
    settings.rl_lambda = 1;
    Placer placer(settings, MachineView(uniform_machine(2, 2)), 1);
    for (ThreadId id = 0; id < 4; ++id) placer.join(id);
    for (int tick = 0; tick < 300; ++tick) {
        EXPECT_TRUE(placer.tick(all_at(4, 0)).empty());
        EXPECT_TRUE(placer.tick(all_at(4, 1, false)).empty());
        EXPECT_TRUE(placer.tick({}).empty());
    }
    EXPECT_EQ(placer.objective(), 0);
    for (const auto& [id, thread] : placer.threads()) EXPECT_EQ(thread.levels[0].mean(), 0);
}

TEST(PinPlacer, TheFirstValidSampleStartsTheMeans) {
    Placer placer(unguarded(), MachineView(uniform_machine(2, 2)), 1);
    placer.join(0);
    static_cast<void>(placer.tick(all_at(1, 123, false)));
    EXPECT_EQ(placer.threads().at(0).levels[0].mean(), 0);
    static_cast<void>(placer.tick(all_at(1, 7)));
    EXPECT_DOUBLE_EQ(placer.threads().at(0).levels[0].mean(), 7);
}

/// The moves of a run, in order.
std::vector<std::string> history(std::uint64_t seed) {
    Settings settings = unguarded();
    settings.rl_lambda = 0.1;
    Placer placer(settings, MachineView(uniform_machine(2, 4)), seed);
    for (ThreadId id = 0; id < 9; ++id) placer.join(id);
    std::vector<std::string> said;
    for (int tick = 0; tick < 300; ++tick) {
        std::vector<Sample> samples = all_at(9, 1);
        samples[static_cast<std::size_t>(tick % 9)].speed = 0.3;
        for (const Decision& decision : placer.tick(samples))
            said.push_back(std::to_string(decision.thread) + ":" + std::to_string(decision.pus.front()) + " " +
                           std::string(why_name(decision.why)));
    }
    return said;
}

TEST(PinPlacer, SameSeedSameDecisions) {
    EXPECT_FALSE(history(5).empty());
    EXPECT_EQ(history(5), history(5));
    EXPECT_NE(history(5), history(6));
}

TEST(PinPlacer, OnlyChangesAreSaidAndStandingKeepsThem) {
    Settings settings = unguarded();
    settings.rl_lambda = 0.2;
    Placer placer(settings, MachineView(uniform_machine(2, 4)), 3);
    std::map<ThreadId, std::vector<int>> last;
    for (ThreadId id = 0; id < 8; ++id) last[id] = placer.join(id).pus;
    for (int tick = 0; tick < 500; ++tick) {
        for (const Decision& decision : placer.tick(all_at(8, 1))) {
            EXPECT_NE(decision.pus, last[decision.thread]);
            last[decision.thread] = decision.pus;
        }
    }
    for (const auto& [id, pus] : last) EXPECT_EQ(placer.standing(id).pus, pus);
}

TEST(PinPlacer, StaticPlacesOnceAndObserveNever) {
    Settings settings;
    settings.mode = Mode::fixed;
    Placer fixed(settings, MachineView(uniform_machine(2, 2)), 1);
    settings.mode = Mode::observe;
    Placer observe(settings, MachineView(uniform_machine(2, 2)), 1);
    for (ThreadId id = 0; id < 4; ++id) {
        EXPECT_FALSE(fixed.join(id).released);
        EXPECT_TRUE(observe.join(id).released);
    }
    for (int tick = 0; tick < 300; ++tick) {
        EXPECT_TRUE(fixed.tick(all_at(4, tick < 100 ? 1 : 0.1)).empty());
        EXPECT_TRUE(observe.tick(all_at(4, tick < 100 ? 1 : 0.1)).empty());
    }
}

TEST(PinPlacer, UnderTheGuardThreadsAreReleasedAtFirstAndPinnedForTheTrial) {
    Settings settings;
    settings.guard_window = 5;
    Placer placer(settings, MachineView(uniform_machine(2, 2)), 1);
    for (ThreadId id = 0; id < 6; ++id) EXPECT_TRUE(placer.join(id).released);
    std::vector<Decision> decisions;
    for (int tick = 0; tick < 5; ++tick) {
        EXPECT_TRUE(decisions.empty());
        decisions = placer.tick(all_at(6, 1));
    }
    ASSERT_EQ(decisions.size(), 6u);
    for (const Decision& decision : decisions) {
        EXPECT_FALSE(decision.released);
        EXPECT_EQ(decision.why, Why::trial);
        EXPECT_EQ(decision.pus.size(), 1u);
    }
    EXPECT_EQ(placer.guard_events().size(), 2u);
}

TEST(PinPlacer, ATrialBeginsWhereTheOperatingSystemHasTheThreads) {
    Settings settings;
    settings.guard_window = 5;
    Placer placer(settings, MachineView(uniform_machine(2, 1)), 1);
    std::vector<Sample> samples;
    // Somebody else is on PU 0, and the operating system has seen it.
    for (ThreadId id = 0; id < 6; ++id) {
        placer.join(id, 0);
        samples.push_back({id, 1, true, id < 2 ? 0 : 1});
    }
    std::vector<Decision> decisions;
    for (int tick = 0; tick < 5; ++tick) decisions = placer.tick(samples);
    ASSERT_EQ(decisions.size(), 6u);
    for (const Decision& decision : decisions) EXPECT_EQ(decision.pus.front(), decision.thread < 2 ? 0 : 1);
}

TEST(PinPlacer, ATrialDoesNotBeginWithAllThreadsOnTheCoreOnWhichTheyWereMade) {
    Settings settings;
    settings.guard_window = 5;
    Placer placer(settings, MachineView(uniform_machine(1, 4)), 1);
    std::vector<Sample> samples;
    for (ThreadId id = 0; id < 4; ++id) {
        placer.join(id, 0);
        samples.push_back({id, 1, true, 0});
    }
    std::vector<Decision> decisions;
    for (int tick = 0; tick < 5; ++tick) decisions = placer.tick(samples);
    std::vector<int> pus;
    for (const Decision& decision : decisions) pus.push_back(decision.pus.front());
    EXPECT_THAT(pus, testing::UnorderedElementsAre(0, 1, 2, 3));
}

TEST(PinPlacer, AfterATrialThatDidNotWinTheNextBeginsRoundRobin) {
    Settings settings;
    settings.guard_window = 5;
    settings.guard_rest = 1;
    Placer placer(settings, MachineView(uniform_machine(2, 1)), 1);
    std::vector<Sample> samples;
    for (ThreadId id = 0; id < 6; ++id) {
        placer.join(id);
        samples.push_back({id, 1, true, id < 2 ? 0 : 1});
    }
    std::vector<std::size_t> on_pu_0;
    for (int tick = 0; tick < 200 && on_pu_0.size() < 2; ++tick) {
        std::size_t count = 0;
        bool trial = false;
        for (const Decision& decision : placer.tick(samples)) {
            trial = trial || (decision.why == Why::trial && !decision.released);
            count += !decision.released && decision.pus.front() == 0 ? 1 : 0;
        }
        if (trial) on_pu_0.push_back(count);
    }
    EXPECT_THAT(on_pu_0, testing::ElementsAre(2, 3));
}

TEST(PinPlacer, ASampleFromAnUnknownThreadIsIgnored) {
    Placer placer(unguarded(), MachineView(uniform_machine(2, 2)), 1);
    EXPECT_TRUE(placer.tick(all_at(3, 1)).empty());
    placer.leave(17);
}

TEST(PinPlacer, JoiningTwiceIsJoiningOnce) {
    Placer placer(unguarded(), MachineView(uniform_machine(1, 4)), 1);
    const Decision first = placer.join(1);
    EXPECT_EQ(placer.join(1).pus, first.pus);
    EXPECT_THAT(placer.join(2).pus, testing::ElementsAre(1));
}

/// Threads of a team join at once and all are placed anew when a trial begins: they must not all decide upon what the
/// others are about to leave.
TEST(PinPlacer, ThreadsDecideInTurns) {
    Settings settings = unguarded();
    settings.resources = {{Level::node, Criterion::speed, EstimatorKind::rl, OptimiserKind::al, 10}};
    settings.al_lambda = 1;
    settings.al_dwell = 0;
    settings.al_moves = 0;
    Placer placer(settings, MachineView(uniform_machine(2, 8)), 1);
    for (ThreadId id = 0; id < 20; ++id) placer.join(id);
    std::size_t most = 0, moves = 0;
    for (int tick = 0; tick < 100; ++tick) {
        const std::size_t now = placer.tick(all_at(20, 1)).size();
        most = std::max(most, now);
        moves += now;
    }
    EXPECT_EQ(most, 2u);
    EXPECT_GT(moves, 50u);
}

TEST(PinPlacer, GroupsGiveAThreadSeveralCores) {
    Settings settings = unguarded();
    settings.group = 2;
    Placer placer(settings, MachineView(uniform_machine(2, 4)), 1);
    EXPECT_THAT(placer.join(0).pus, testing::ElementsAre(0, 1));
    EXPECT_THAT(placer.join(1).pus, testing::ElementsAre(2, 3));
}

TEST(PinPlacer, OthersLoadIsAvoidedByFirstPlacements) {
    Placer placer(unguarded(), MachineView(uniform_machine(1, 3)), 1);
    placer.set_others({{0, 1}, {1, 1}});
    EXPECT_THAT(placer.join(0).pus, testing::ElementsAre(2));
}

TEST(PinPlacer, OthersLoadIsAvoidedAlsoWhereTheMachineChanges) {
    const Place machine = uniform_machine(1, 4);
    Placer placer(unguarded(), MachineView(machine), 1);
    placer.set_others({{0, 1}, {1, 1}});
    ASSERT_THAT(placer.join(0).pus, testing::ElementsAre(2));
    const std::vector<int> left = {0, 1, 3};
    const std::vector<Decision> moved = placer.machine_changed(MachineView(machine, left));
    ASSERT_EQ(moved.size(), 1u);
    EXPECT_THAT(moved.front().pus, testing::ElementsAre(3));
}

}  // namespace
}  // namespace gimbal::pin
