// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace gimbal::pin {
namespace {

TEST(PinRandom, SameSeedSameNumbers) {
    Random one(7), two(7), other(8);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(one.next(), two.next());
    EXPECT_NE(one.next(), other.next());
}

TEST(PinRandom, AChanceBelowOnePercentStaysBelowOnePercent) {
    Random random(1);
    int hits = 0;
    for (int i = 0; i < 1000000; ++i) hits += random.chance(0.002) ? 1 : 0;
    EXPECT_NEAR(hits, 2000, 250);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_FALSE(random.chance(0));
        EXPECT_TRUE(random.chance(1));
    }
}

TEST(PinRandom, PicksInProportionToWeightsAndNeverWhatWeighsNothing) {
    Random random(2);
    const std::array<double, 4> weights = {1, 0, 3, 0};
    std::vector<int> hits(4);
    for (int i = 0; i < 40000; ++i) ++hits[random.pick(weights)];
    EXPECT_NEAR(hits[0], 10000, 500);
    EXPECT_NEAR(hits[2], 30000, 500);
    EXPECT_EQ(hits[1] + hits[3], 0);
    const std::array<double, 1> alone = {0};
    EXPECT_EQ(random.pick(alone), 0u);
}

}  // namespace
}  // namespace gimbal::pin
