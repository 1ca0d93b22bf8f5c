// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <climits>

#include "topology/topology.hpp"

namespace {

using gimbal::kFarthest;
using gimbal::Topology;

TEST(Topology, TheSmallestSharedThingIsTheDistance) {
    // Each processor shares one thing less with number 0 than the one before it.
    const Topology machine({{0, 0, 0, 0, 0},
                            {0, 0, 0, 0, 0},
                            {1, 0, 0, 0, 0},
                            {2, 1, 0, 0, 0},
                            {3, 2, 1, 0, 0},
                            {4, 3, 2, 1, 0},
                            {5, 4, 3, 2, 1}});
    const unsigned expected[] = {0, 0, 1, 2, 3, 4, 5};
    for (int cpu = 0; cpu < machine.cpus(); ++cpu) {
        EXPECT_EQ(machine.distance(0, cpu), expected[cpu]) << cpu;
        EXPECT_EQ(machine.distance(cpu, 0), expected[cpu]) << cpu;
    }
    EXPECT_TRUE(machine.known());
    EXPECT_EQ(machine.cpus(), 7);
}

TEST(Topology, WhatIsMissingIsNotShared) {
    const Topology no_caches({{0, -1, -1, 0, 0}, {1, -1, -1, 0, 0}, {2, -1, -1, 1, 0}, {3, -1, -1, -1, -1}});
    EXPECT_EQ(no_caches.distance(0, 1), 3U);
    EXPECT_EQ(no_caches.distance(0, 2), 4U);
    EXPECT_EQ(no_caches.distance(0, 3), kFarthest);
    const Topology holes({{0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1}});
    EXPECT_EQ(holes.distance(0, 1), kFarthest);
    EXPECT_EQ(holes.distance(1, 2), kFarthest);
}

TEST(Topology, IdsMayBeAnyNumbers) {
    const Topology machine({{INT_MAX, 7, 9, 4, 100}, {INT_MAX, 7, 9, 4, 100}, {3, 7, 9, 4, 100}});
    EXPECT_EQ(machine.distance(0, 1), 0U);
    EXPECT_EQ(machine.distance(0, 2), 1U);
}

TEST(Topology, NumbersOutsideTheMachineAreFar) {
    const Topology machine({{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}});
    for (const int stranger : {-1, 2, INT_MIN, INT_MAX}) {
        EXPECT_EQ(machine.distance(0, stranger), kFarthest) << stranger;
        EXPECT_EQ(machine.distance(stranger, 1), kFarthest) << stranger;
    }
    EXPECT_EQ(machine.distance(INT_MAX, INT_MAX), 0U);
    // Two workers that nobody has located need not be neighbours.
    EXPECT_EQ(machine.distance(-1, -1), kFarthest);
}

TEST(Topology, FlatWhereNothingIsKnown) {
    const Topology flat;
    EXPECT_FALSE(flat.known());
    EXPECT_EQ(flat.cpus(), 0);
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) EXPECT_EQ(flat.distance(a, b), a == b ? 0 : kFarthest);
}

}  // namespace
