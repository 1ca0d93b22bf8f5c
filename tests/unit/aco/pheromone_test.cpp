// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pheromone.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace aco {
namespace {

TEST(Pheromone, AnIterationShrinksAllByATenthAndAddsATenthAlongTheSchedule) {
    Pheromone pheromone(3);
    pheromone.learn(std::array<Job, 3>{2, 0, 1});
    EXPECT_DOUBLE_EQ(pheromone.at(0)[2], 1.0);
    EXPECT_DOUBLE_EQ(pheromone.at(0)[0], 0.9);
    pheromone.learn(std::array<Job, 3>{0, 2, 1});
    EXPECT_DOUBLE_EQ(pheromone.at(0)[2], 0.9);
    EXPECT_DOUBLE_EQ(pheromone.at(0)[0], 0.91);
    EXPECT_DOUBLE_EQ(pheromone.at(0)[1], 0.81);
    EXPECT_DOUBLE_EQ(pheromone.at(2)[1], 1.0);
}

TEST(Pheromone, StaysBetweenItsFloorAndOneForever) {
    Pheromone pheromone(4);
    EXPECT_DOUBLE_EQ(pheromone.floor(), 1.0 / 8.0);
    for (int i = 0; i < 1000; ++i) pheromone.learn(std::array<Job, 4>{3, 2, 1, 0});
    for (std::size_t position = 0; position < 4; ++position) {
        for (std::size_t job = 0; job < 4; ++job) {
            EXPECT_EQ(pheromone.at(position)[job], job == 3 - position ? 1.0 : pheromone.floor());
        }
    }
    // And what was at the floor comes back.
    pheromone.learn(std::array<Job, 4>{0, 1, 2, 3});
    EXPECT_DOUBLE_EQ(pheromone.at(0)[0], pheromone.floor() + kEvaporation);
}

TEST(Pheromone, OfOneJobIsOne) {
    Pheromone pheromone(1);
    for (int i = 0; i < 100; ++i) pheromone.learn(std::array<Job, 1>{0});
    EXPECT_EQ(pheromone.at(0)[0], 1.0);
}

TEST(Pheromone, ResetForgetsAll) {
    Pheromone pheromone(2);
    pheromone.learn(std::array<Job, 2>{1, 0});
    pheromone.reset();
    for (std::size_t position = 0; position < 2; ++position) {
        EXPECT_TRUE(std::ranges::all_of(pheromone.at(position), [](double value) { return value == 1.0; }));
    }
}

}  // namespace
}  // namespace aco
