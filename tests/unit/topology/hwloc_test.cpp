// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The provider on machines that hwloc makes up.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "topology/provider.hpp"

namespace {

using gimbal::ask_provider;
using gimbal::Topology;

/// How many ordered pairs of different processors are at each distance; [6] counts processors.
using Census = std::array<int, 7>;

class HwlocProvider : public ::testing::Test {
protected:
    void SetUp() override {
        void* const library = dlopen(GIMBAL_TEST_PROVIDER, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        fill = reinterpret_cast<gimbal_topology_provider>(dlsym(library, "gimbal_topology_fill"));
        ASSERT_NE(fill, nullptr);
        // The tests themselves may run on a made-up machine already.
        unsetenv("HWLOC_XMLFILE");
        unsetenv("HWLOC_COMPONENTS");
    }
    void TearDown() override { unsetenv("HWLOC_SYNTHETIC"); }

    Topology on(const char* machine) const {
        setenv("HWLOC_SYNTHETIC", machine, 1);
        return ask_provider(fill);
    }

    Census census(const char* machine) const {
        const Topology found = on(machine);
        Census count{};
        for (int a = 0; a < found.cpus(); ++a)
            for (int b = 0; b < found.cpus(); ++b)
                if (a != b) ++count[found.distance(a, b)];
        count[6] = found.cpus();
        return count;
    }

    gimbal_topology_provider fill = nullptr;
};

TEST_F(HwlocProvider, EveryKindOfNeighbourIsFound) {
    // Per processor: 1 on its core, 2 more at its L2, 4 at its L3, 8 at its node, 16 in its package, 32 elsewhere.
    const Census expected = {64 * 1, 64 * 2, 64 * 4, 64 * 8, 64 * 16, 64 * 32, 64};
    EXPECT_EQ(census("pack:2 numa:2 l3:2 l2:2 core:2 pu:2"), expected);
}

TEST_F(HwlocProvider, ACacheAsLargeAsItsNodeHidesTheNode) {
    const Census expected = {32 * 1, 32 * 2, 32 * 4, 0, 32 * 8, 32 * 16, 32};
    EXPECT_EQ(census("pack:2 numa:2 l3:1 l2:2 core:2 pu:2"), expected);
}

TEST_F(HwlocProvider, OneCore) {
    const Census smt = {2, 0, 0, 0, 0, 0, 2};
    EXPECT_EQ(census("core:1 pu:2"), smt);
    const Census alone = {0, 0, 0, 0, 0, 0, 1};
    EXPECT_EQ(census("core:1 pu:1"), alone);
}

TEST_F(HwlocProvider, WithoutCachesTheNodeIsNext) {
    const Census expected = {8 * 1, 0, 0, 8 * 2, 0, 8 * 4, 8};
    EXPECT_EQ(census("numa:2 core:2 pu:2"), expected);
}

TEST_F(HwlocProvider, OfSeveralNodesTheNarrowestCounts) {
    // Each package has a node of its own, and two halves with fast memory each.
    const Census expected = {0, 0, 0, 8 * 1, 8 * 2, 8 * 4, 8};
    EXPECT_EQ(census("pack:2 [numa] group:2 [numa] core:2 pu:1"), expected);
}

TEST_F(HwlocProvider, NumbersAreTheOperatingSystems) {
    // Siblings lie two apart in the operating system's numbers, and 1 and 3 are the second core.
    const Topology machine = on("core:2 pu:2(indexes=0,2,1,3)");
    EXPECT_EQ(machine.distance(0, 2), 0U);
    EXPECT_EQ(machine.distance(1, 3), 0U);
    EXPECT_EQ(machine.distance(0, 1), 3U);
}

TEST_F(HwlocProvider, NumbersThatDoNotExistAreHoles) {
    const Topology machine = on("core:2 pu:1(indexes=1,5)");
    EXPECT_EQ(machine.cpus(), 6);
    EXPECT_EQ(machine.distance(1, 5), 3U);
    EXPECT_EQ(machine.distance(1, 0), gimbal::kFarthest);
    EXPECT_EQ(machine.distance(2, 3), gimbal::kFarthest);
}

TEST_F(HwlocProvider, FillsNoMoreThanItMayAndSaysWhatItNeeds) {
    setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
    std::vector<gimbal_cpu_place> places(4, gimbal_cpu_place{77, 77, 77, 77, 77});
    EXPECT_EQ(fill(places.data(), 2), 4);
    EXPECT_NE(places[1].core, 77);
    EXPECT_EQ(places[2].core, 77);
    EXPECT_EQ(fill(nullptr, 0), 4);
    EXPECT_EQ(fill(nullptr, 4), GIMBAL_TOPOLOGY_BAD_ARGUMENT);
    EXPECT_EQ(fill(places.data(), -1), GIMBAL_TOPOLOGY_BAD_ARGUMENT);
}

TEST_F(HwlocProvider, ThisMachineHasThePlaceWhereWeRunAndTheThreadStaysWhereItMayBe) {
    unsetenv("HWLOC_SYNTHETIC");
    cpu_set_t before;
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    const int here = sched_getcpu();
    const Topology machine = ask_provider(fill);
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
    EXPECT_GT(machine.cpus(), here);
}

}  // namespace
