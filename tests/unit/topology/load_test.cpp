// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Beside this program lies no provider.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "base/warnings.hpp"
#include "topology/provider.hpp"
#include "topology/topology.hpp"

namespace {

using gimbal::ask_provider;
using gimbal::load_topology;
using gimbal::Topology;
using gimbal::topology;
using gimbal::use_topology;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kConsequence = "; threads steal from victims in order of their numbers";

auto warned_of(const char* reason) {
    return Contains(AllOf(StartsWith("topology unknown: "), HasSubstr(reason), EndsWith(kConsequence)));
}

TEST(LoadTopology, WithoutAProviderItIsFlatAndSaidOnce) {
    std::vector<std::thread> team;
    std::vector<const Topology*> seen(8);
    for (auto& mine : seen) team.emplace_back([&mine] { mine = &topology(); });
    for (std::thread& thread : team) thread.join();
    EXPECT_THAT(seen, ::testing::Each(&topology()));
    EXPECT_FALSE(topology().known());
    EXPECT_EQ(topology().distance(0, 1), gimbal::kFarthest);
    EXPECT_EQ(topology().distance(1, 1), 0U);
    int said = 0;
    for (const std::string& text : gimbal::warnings()) said += text.find("libgimbal_topology.so") != std::string::npos;
    EXPECT_EQ(said, 1);
    EXPECT_THAT(gimbal::warnings(), warned_of("libgimbal_topology.so"));
}

TEST(LoadTopology, TestsCanPutAFakeInItsPlace) {
    const Topology fake({{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}});
    use_topology(&fake);
    EXPECT_EQ(topology().distance(0, 1), 1U);
    use_topology(nullptr);
    EXPECT_EQ(topology().distance(0, 1), gimbal::kFarthest);
}

TEST(LoadTopology, WhatIsNoProviderIsRefusedWithTheReason) {
    EXPECT_FALSE(load_topology("").known());
    EXPECT_THAT(gimbal::warnings(), warned_of("the path of libgimbal.so is unknown"));
    EXPECT_FALSE(load_topology("/proc/self/status").known());
    EXPECT_THAT(gimbal::warnings(), warned_of("/proc/self/status"));
    EXPECT_FALSE(load_topology("libc.so.6").known());
    EXPECT_THAT(gimbal::warnings(), warned_of("libc.so.6 is not a topology library of Gimbal"));
}

int calls = 0;

// A machine of 5000 processors, two to a core.
int large(gimbal_cpu_place* places, int capacity) {
    ++calls;
    for (int cpu = 0; cpu < capacity && cpu < 5000; ++cpu) places[cpu] = {cpu / 2, -1, -1, -1, -1};
    return 5000;
}

TEST(AskProvider, MoreProcessorsThanUsualGetMoreRoom) {
    calls = 0;
    const Topology machine = ask_provider(large);
    EXPECT_EQ(machine.cpus(), 5000);
    EXPECT_EQ(machine.distance(4998, 4999), 0U);
    EXPECT_EQ(machine.distance(4997, 4998), gimbal::kFarthest);
    EXPECT_EQ(calls, 2);
}

TEST(AskProvider, FailuresAreFlat) {
    EXPECT_FALSE(ask_provider([](gimbal_cpu_place*, int) -> int { return GIMBAL_TOPOLOGY_UNREADABLE; }).known());
    EXPECT_FALSE(ask_provider([](gimbal_cpu_place*, int) { return 0; }).known());
    EXPECT_FALSE(ask_provider([](gimbal_cpu_place*, int) { return INT32_MAX; }).known());
    // Fails when it is given the room it wanted.
    const auto fickle = [](gimbal_cpu_place*, int capacity) { return capacity < 2000 ? 2000 : -3; };
    EXPECT_FALSE(ask_provider(fickle).known());
}

}  // namespace
