// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/coordinator.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace gimbal::mpi {
namespace {

TEST(Coordinator, NamesNoThief) {
    Coordinator coordinator;
    for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
        coordinator.begin(epoch, 8, 1);
        std::set<int> thieves;
        for (const int thief : {3, 0, 3, 7, 1, 0, 2, 5, 4, 3}) {
            thieves.insert(thief);
            const int victim = coordinator.victim_for(thief);
            ASSERT_TRUE(victim >= 0 && victim < 8) << victim;
            EXPECT_FALSE(thieves.contains(victim));
        }
        EXPECT_EQ(coordinator.victim_for(6), -1) << "all have been thieves";
        EXPECT_EQ(coordinator.victim_for(0), -1);
    }
}

TEST(Coordinator, NamesNobodyWhoHadNothing) {
    Coordinator coordinator;
    coordinator.begin(0, 6, 1);
    coordinator.has_nothing(0);
    coordinator.has_nothing(2);
    coordinator.has_nothing(2);
    coordinator.has_nothing(4);
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(std::set<int>({3, 5}).contains(coordinator.victim_for(1)));
    coordinator.has_nothing(3);
    EXPECT_EQ(coordinator.victim_for(1), 5);
    coordinator.has_nothing(5);
    EXPECT_EQ(coordinator.victim_for(1), -1);
    coordinator.begin(1, 6, 1);
    EXPECT_NE(coordinator.victim_for(0), -1) << "the next execution begins anew";
}

TEST(Coordinator, NamesItselfToo) {
    Coordinator coordinator;
    coordinator.begin(0, 3, 1);
    coordinator.has_nothing(2);
    EXPECT_EQ(coordinator.victim_for(1), 0);
    coordinator.has_nothing(0);
    EXPECT_EQ(coordinator.victim_for(1), -1);
}

TEST(Coordinator, OfOneRankNamesNobody) {
    Coordinator coordinator;
    coordinator.begin(0, 1, 1);
    EXPECT_EQ(coordinator.victim_for(0), -1);
}

TEST(Coordinator, IsReproducibleAndNamesEverybody) {
    const auto named = [](std::uint64_t seed) {
        Coordinator coordinator;
        coordinator.begin(5, 10, seed);
        std::vector<int> victims;
        for (int i = 0; i < 200; ++i) victims.push_back(coordinator.victim_for(0));
        return victims;
    };
    EXPECT_EQ(named(1), named(1));
    EXPECT_NE(named(1), named(2));
    const std::vector<int> victims = named(3);
    EXPECT_EQ(std::set<int>(victims.begin(), victims.end()).size(), 9U);
}

}  // namespace
}  // namespace gimbal::mpi
