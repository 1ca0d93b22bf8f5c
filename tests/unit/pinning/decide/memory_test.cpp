// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/memory_placement.hpp"

#include <gtest/gtest.h>

#include "decide/placer.hpp"

namespace gimbal::pin {
namespace {

TEST(PinMemory, MoreThanZetaIsStrict) {
    EXPECT_EQ(memory_to_bind(1, 4, 8, 0.5, 2), kNoMemory);
    EXPECT_EQ(memory_to_bind(1, 5, 8, 0.5, 2), 1);
    EXPECT_EQ(memory_to_bind(1, 1, 8, 0, 2), 1);
    EXPECT_EQ(memory_to_bind(1, 8, 8, 1, 2), kNoMemory);
}

TEST(PinMemory, OneMemoryOrNoneIsANoOp) {
    EXPECT_EQ(memory_to_bind(0, 8, 8, 0, 1), kNoMemory);
    EXPECT_EQ(memory_to_bind(kNoMemory, 8, 8, 0, 2), kNoMemory);
}

/// Nodes whose memories have numbers with gaps, and one of number 0: PaRLSched's index is neither.
TEST(PinMemory, TheOperatingSystemsNumberIsNamedOnceAndNotAnIndex) {
    Place machine = uniform_machine(3, 2);
    machine.inside[0].memory_node = 4;
    machine.inside[1].memory_node = 0;
    machine.inside[2].memory_node = 9;
    Settings settings;
    settings.guard = false;
    settings.bind_memory = true;
    settings.zeta = 0;
    settings.numa_memory.period = 3;
    Placer placer(settings, MachineView(machine), 1);
    for (ThreadId id = 0; id < 6; ++id) placer.join(id);
    std::map<ThreadId, int> bound;
    for (int tick = 0; tick < 9; ++tick) {
        for (const Decision& decision : placer.tick({})) {
            EXPECT_FALSE(bound.contains(decision.thread));
            EXPECT_EQ(decision.why, Why::memory);
            bound[decision.thread] = decision.bind_memory;
        }
    }
    EXPECT_EQ(bound, (std::map<ThreadId, int>{{0, 4}, {1, 4}, {2, 0}, {3, 0}, {4, 9}, {5, 9}}));
    EXPECT_EQ(placer.standing(2).bind_memory, 0);
}

/// Two nodes and the rule; both threads are bound, each to its own.
Settings always_near() {
    Settings settings;
    settings.guard = false;
    settings.bind_memory = true;
    settings.zeta = 0;
    settings.numa_memory.period = 1;
    return settings;
}

TEST(PinMemory, WhatIsBoundToANodeThatGoesAwayIsGivenBack) {
    const Place machine = uniform_machine(3, 1);
    Placer placer(always_near(), MachineView(machine), 1);
    for (ThreadId id = 0; id < 3; ++id) placer.join(id);
    ASSERT_EQ(placer.tick({}).size(), 3u);
    const std::vector<int> left = {0, 1};
    std::map<ThreadId, int> said;
    for (const Decision& decision : placer.machine_changed(MachineView(machine, left)))
        said[decision.thread] = decision.bind_memory;
    EXPECT_EQ(said, (std::map<ThreadId, int>{{2, kUnbind}}));
    EXPECT_EQ(placer.standing(2).bind_memory, kNoMemory);
}

TEST(PinMemory, WhoIsReleasedIsBoundToNothingAlsoWhereOneMemoryIsLeft) {
    PlacementState state(always_near(), MachineView(uniform_machine(2, 1)), 1);
    MemoryPlacement memory(state);
    ThreadState& thread = state.threads.try_emplace(0, state.settings, 0).first->second;
    state.settle(thread, state.occupancy.emptiest(0), 1, true);
    memory.enter(thread);
    thread.memory.bound = 0;
    memory.set_memories({0});
    ASSERT_EQ(memory.by(), MemoryBy::nobody);
    memory.restore(thread, true, kNoMemory, Why::let_go);
    EXPECT_EQ(thread.memory.to_bind, kUnbind);
}

TEST(PinMemory, HalfOfTheThreadsIsNotMoreThanHalf) {
    Settings settings;
    settings.guard = false;
    settings.bind_memory = true;
    settings.zeta = 0.5;
    settings.numa_memory.period = 1;
    Placer placer(settings, MachineView(uniform_machine(2, 2)), 1);
    for (ThreadId id = 0; id < 4; ++id) placer.join(id);
    EXPECT_TRUE(placer.tick({}).empty());
    placer.leave(3);  // 2 of 3 are on node 0
    EXPECT_EQ(placer.tick({}).size(), 2u);
}

}  // namespace
}  // namespace gimbal::pin
