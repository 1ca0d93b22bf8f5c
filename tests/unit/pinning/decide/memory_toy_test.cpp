// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole runs on a toy with two memories, the near one faster: it says nothing about hardware.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "decide/placer.hpp"

namespace gimbal::pin {
namespace {

/// Speed = 1 / load of the core, times what far memory leaves of it.
class MemoryToy {
public:
    MemoryToy(const Settings& settings, const Place& machine, std::uint64_t seed)
        : placer(settings, MachineView(machine), seed), memory_of_(memory_of_pus(machine)) {}

    Placer placer;
    std::map<int, double> hogs;             ///< PU -> busy threads of others
    double far = 0.7;                       ///< what is left of the speed with far memory
    std::map<ThreadId, int> pages;          ///< thread -> memory
    std::map<ThreadId, std::size_t> moves;  ///< of pages
    std::vector<std::string> said;          ///< every word about memory

    void join(ThreadId id, int its_pages) {
        pages[id] = its_pages;
        follow(placer.join(id));
    }
    void step() {
        std::map<int, double> load = hogs;
        for (const auto& [id, pu] : at_) load[pu] += 1;
        std::vector<Sample> samples;
        for (const auto& [id, pu] : at_) {
            const double share = 1 / load[pu];
            samples.push_back({.thread = id,
                               .speed = share * (near(id) ? 1 : far),
                               .pu = pu,
                               .cpu_share = share,
                               .memory = pages[id]});
        }
        for (const Decision& decision : placer.tick(samples)) follow(decision);
    }
    void run(std::size_t ticks) {
        for (std::size_t i = 0; i < ticks; ++i) step();
    }
    /// Share of threads times ticks with near memory.
    double share_near(std::size_t ticks) {
        double sum = 0;
        for (std::size_t i = 0; i < ticks; ++i) {
            step();
            for (const auto& [id, pu] : at_) sum += near(id) ? 1 : 0;
        }
        return sum / static_cast<double>(ticks * at_.size());
    }
    [[nodiscard]] bool near(ThreadId id) const { return memory_of_.at(at_.at(id)) == pages.at(id); }
    void follow(const Decision& decision) {
        const ThreadId id = decision.thread;
        if (!decision.released) at_[id] = decision.pus.front();
        if (!at_.contains(id)) at_[id] = static_cast<int>(id % memory_of_.size());
        if (decision.bind_memory == kNoMemory) return;
        said.push_back(std::to_string(id) + ":" + std::to_string(decision.bind_memory) + " " +
                       std::string(why_name(decision.memory_why)));
        bound[id] = decision.bind_memory;
        if (decision.bind_memory == kUnbind) return;
        moves[id] += pages[id] == decision.bind_memory ? 0 : 1;
        pages[id] = decision.bind_memory;
    }
    std::map<ThreadId, int> bound;

private:
    std::map<int, int> memory_of_;
    std::map<ThreadId, int> at_;
};

Settings learnt(EstimatorKind estimator = EstimatorKind::rl, OptimiserKind optimiser = OptimiserKind::al) {
    Settings settings;
    settings.guard = false;
    settings.bind_memory = settings.learn_memory = true;
    settings.numa_memory.estimator = estimator;
    settings.numa_memory.optimiser = optimiser;
    return settings;
}

TEST(PinMemoryToy, EveryPairingConcentratesMemoryOnTheNearNode) {
    for (const EstimatorKind estimator : {EstimatorKind::rl, EstimatorKind::apla, EstimatorKind::al}) {
        for (const OptimiserKind optimiser : {OptimiserKind::rl, OptimiserKind::al}) {
            double share = 0;
            for (std::uint64_t seed = 0; seed < 10; ++seed) {
                MemoryToy toy(learnt(estimator, optimiser), uniform_machine(2, 4), seed);
                for (ThreadId id = 0; id < 8; ++id) toy.join(id, 0);  // all first touched by the main thread
                toy.run(300);
                share += toy.share_near(300) / 10;
            }
            EXPECT_GT(share, 0.9) << static_cast<int>(estimator) << '/' << static_cast<int>(optimiser);
        }
    }
}

TEST(PinMemoryToy, ThreadsThatFleeFromHogsGetTheirMemoryAfterThem) {
    Settings settings = learnt();
    MemoryToy toy(settings, uniform_machine(2, 4), 3);
    for (ThreadId id = 0; id < 4; ++id) toy.join(id, 0);
    toy.run(200);
    toy.hogs = {{0, 2}, {1, 2}, {2, 2}, {3, 2}};
    toy.run(300);
    EXPECT_GT(toy.share_near(100), 0.9);
    for (ThreadId id = 0; id < 4; ++id) EXPECT_EQ(toy.pages[id], 1) << id;
}

TEST(PinMemoryToy, WhoTakesTheProcessorAwaySaysNothingOfMemory) {
    Settings settings = learnt();
    settings.resources = {{Level::node, Criterion::speed, EstimatorKind::rl, OptimiserKind::al, 1000000}};
    settings.al_lambda = 0;
    MemoryToy toy(settings, uniform_machine(2, 2), 4);
    for (ThreadId id = 0; id < 4; ++id) toy.join(id, id < 2 ? 0 : 1);
    toy.run(200);
    const auto before = toy.moves;
    for (int round = 0; round < 10; ++round) {
        toy.hogs = round % 2 == 0 ? std::map<int, double>{{0, 3}, {1, 3}} : std::map<int, double>{};
        toy.run(100);
    }
    EXPECT_GT(toy.share_near(10), 0.99);
    EXPECT_EQ(toy.moves, before);
}

TEST(PinMemoryToy, OneMemoryIsANoOpAlsoUnderPseudoNodes) {
    const std::vector<std::vector<int>> nodes = {{0, 1}, {2, 3}};
    for (const Place& machine : {uniform_machine(1, 4), with_pseudo_nodes(uniform_machine(1, 4), nodes)}) {
        Settings settings = learnt();
        settings.al_lambda = settings.rl_lambda = 0.5;
        MemoryToy toy(settings, machine, 5);
        for (ThreadId id = 0; id < 4; ++id) toy.join(id, 0);
        toy.run(500);
        EXPECT_EQ(toy.placer.memory_by(), MemoryBy::nobody);
        EXPECT_TRUE(toy.said.empty());
    }
}

/// Pseudo-nodes that cut across two memories: each core still has its own.
TEST(PinMemoryToy, PseudoNodesOverTwoMemoriesLearnTheRealOnes) {
    const std::vector<std::vector<int>> nodes = {{0, 2}, {1, 3}};
    MemoryToy toy(learnt(), with_pseudo_nodes(uniform_machine(2, 2), nodes), 6);
    for (ThreadId id = 0; id < 4; ++id) toy.join(id, 0);
    toy.run(300);
    EXPECT_EQ(toy.placer.memory_by(), MemoryBy::learning);
    EXPECT_GT(toy.share_near(200), 0.9);
}

TEST(PinMemoryToy, BlockedThreadsMemoryIsLeftAlone) {
    Placer placer(learnt(), MachineView(uniform_machine(2, 2)), 1);
    for (ThreadId id = 0; id < 4; ++id) placer.join(id);
    for (int tick = 0; tick < 300; ++tick) {
        std::vector<Sample> samples;
        for (ThreadId id = 0; id < 4; ++id) samples.push_back({id, 0, true, 0, 0, 1});
        EXPECT_TRUE(placer.tick(samples).empty());
        for (Sample& sample : samples) sample = {sample.thread, 1, false, 0, 1, 1};
        EXPECT_TRUE(placer.tick(samples).empty());
    }
}

TEST(PinMemoryToy, SameSeedSameWords) {
    const auto words = [](std::uint64_t seed) {
        Settings settings = learnt(EstimatorKind::rl, OptimiserKind::rl);
        settings.rl_lambda = 0.1;
        MemoryToy toy(settings, uniform_machine(2, 4), seed);
        for (ThreadId id = 0; id < 8; ++id) toy.join(id, 0);
        toy.run(500);
        return toy.said;
    };
    EXPECT_FALSE(words(1).empty());
    EXPECT_EQ(words(1), words(1));
    EXPECT_NE(words(1), words(2));
}

TEST(PinMemoryToy, WhereSpeedDoesNotShowMemoryTheRuleDecides) {
    Settings settings = learnt();
    settings.zeta = 0;
    Placer placer(settings, MachineView(uniform_machine(2, 2)), 1);
    EXPECT_EQ(placer.memory_by(), MemoryBy::learning);
    placer.set_sees_memory(false);
    EXPECT_EQ(placer.memory_by(), MemoryBy::zeta);
    for (ThreadId id = 0; id < 4; ++id) placer.join(id);
    std::map<ThreadId, int> bound;
    for (std::size_t tick = 0; tick < settings.numa_memory.period; ++tick) {
        for (const Decision& decision : placer.tick({})) {
            EXPECT_EQ(decision.memory_why, Why::memory);
            bound[decision.thread] = decision.bind_memory;
        }
    }
    EXPECT_EQ(bound, (std::map<ThreadId, int>{{0, 0}, {1, 0}, {2, 1}, {3, 1}}));
    placer.set_sees_memory(true);
    EXPECT_EQ(placer.memory_by(), MemoryBy::learning);
}

TEST(PinMemoryToy, WhatMayNotBeBoundToIsNoChoice) {
    Placer placer(learnt(), MachineView(uniform_machine(3, 2)), 1);
    placer.set_memories({0, 2});
    EXPECT_EQ(placer.memory_by(), MemoryBy::learning);
    placer.set_memories({2});
    EXPECT_EQ(placer.memory_by(), MemoryBy::nobody);
    placer.set_memories({});
    EXPECT_EQ(placer.memory_by(), MemoryBy::nobody);
}

/// The rule alone would carry memory after every hop of a thread.
TEST(PinMemoryToy, TheRuleIsLimitedToo) {
    Settings settings;
    settings.guard = false;
    settings.bind_memory = true;
    settings.zeta = 0;
    settings.numa_memory.period = 1;
    settings.resources = {{Level::node, Criterion::speed, EstimatorKind::rl, OptimiserKind::rl, 1}};
    settings.rl_lambda = 1;
    MemoryToy toy(settings, uniform_machine(2, 2), 8);
    for (ThreadId id = 0; id < 4; ++id) toy.join(id, 0);
    toy.run(6000);  // 20 minutes, and about 3000 hops of each thread
    for (const auto& [id, moves] : toy.moves) EXPECT_LE(moves, 30u);
}

TEST(PinMemoryToy, ReleasedThreadsMemoryIsNobodysAndComesBackWithTheBestPlacement) {
    Settings settings = learnt();
    settings.guard = true;
    settings.guard_window = 15;
    MemoryToy toy(settings, uniform_machine(2, 4), 9);
    for (ThreadId id = 0; id < 8; ++id) toy.join(id, 0);
    bool freed = false;
    for (int tick = 0; tick < 3000; ++tick) {
        const Phase before = toy.placer.phase();
        toy.step();
        const bool released = toy.placer.phase() == Phase::baseline || toy.placer.phase() == Phase::released;
        if (!released || before == toy.placer.phase()) continue;
        for (const auto& [id, node] : toy.bound) {
            EXPECT_EQ(node, kUnbind);
            EXPECT_EQ(toy.placer.standing(id).bind_memory, kNoMemory);
            freed = true;
        }
    }
    EXPECT_TRUE(freed);
}

TEST(PinMemoryToy, TheGuardTriesForTheSakeOfMemoryWhereProcessorsAreFree) {
    Settings settings = learnt();
    settings.guard = true;
    for (const bool memory : {true, false}) {
        settings.bind_memory = memory;
        MemoryToy toy(settings, uniform_machine(2, 4), 10);
        for (ThreadId id = 0; id < 8; ++id) toy.join(id, 0);
        toy.run(300);
        const auto& events = toy.placer.guard_events();
        EXPECT_EQ(
            std::any_of(events.begin(), events.end(), [](const GuardEvent& e) { return e.phase == Phase::learn; }),
            memory);
    }
}

}  // namespace
}  // namespace gimbal::pin
