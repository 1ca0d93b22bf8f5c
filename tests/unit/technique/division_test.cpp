// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace gimbal;
using Sizes = std::vector<std::uint64_t>;

std::vector<double> random_weights(std::size_t workers, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(0, 4);
    std::vector<double> weights(workers);
    for (double& weight : weights) weight = uniform(random);
    return weights;
}

std::uint64_t sum_of(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

TEST(StaticIterations, AreTheNearestInteger) {
    EXPECT_EQ(static_iterations(0.5, 7), 4U) << "halves up";
    EXPECT_EQ(static_iterations(0.37, 1000), 370U);
    EXPECT_EQ(static_iterations(0, 1000), 0U);
    EXPECT_EQ(static_iterations(1, 1000), 1000U);
    EXPECT_EQ(static_iterations(0.3, 1), 0U);
    EXPECT_EQ(static_iterations(0.8, 0), 0U);
    EXPECT_EQ(static_iterations(-1, 1000), 0U);
    EXPECT_EQ(static_iterations(7, 1000), 1000U);
    EXPECT_EQ(static_iterations(std::nan(""), 1000), 0U);
    EXPECT_EQ(static_iterations(1e-300, 1000), 0U);
}

TEST(StaticIterations, AreExactForTheLongestLoops) {
    constexpr std::uint64_t kLongest = ~std::uint64_t{0};
    EXPECT_EQ(static_iterations(1, kLongest), kLongest);
    EXPECT_EQ(static_iterations(0.5, kLongest), std::uint64_t{1} << 63);
    EXPECT_EQ(static_iterations(0.25, (std::uint64_t{1} << 48) + 2), (std::uint64_t{1} << 46) + 1);
}

TEST(StaticSizes, SumToTheStaticIterationsForAnyWeights) {
    std::mt19937_64 random(3);
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1000},
                                  std::uint64_t{1000003}, std::uint64_t{1} << 48, ~std::uint64_t{0} >> 1}) {
        for (const std::uint32_t workers : {1U, 2U, 3U, 7U, 40U, 200U}) {
            for (const double fraction : {0.0, 0.01, 0.37, 0.5, 0.999, 1.0}) {
                const auto weights = random_weights(workers, random);
                ASSERT_EQ(sum_of(static_sizes(weights, fraction, n, workers)), static_iterations(fraction, n));
                ASSERT_EQ(sum_of(static_sizes({}, fraction, n, workers)), static_iterations(fraction, n));
            }
        }
    }
}

TEST(StaticSizes, AreTheBlocksOfLibompForEqualWeights) {
    EXPECT_EQ(static_sizes({}, 1, 10, 4), (Sizes{3, 3, 2, 2}));
    EXPECT_EQ(static_sizes(std::vector<double>{2, 2, 2, 2}, 1, 10, 4), (Sizes{3, 3, 2, 2}));
    EXPECT_EQ(static_sizes({}, 1, 2, 4), (Sizes{1, 1, 0, 0}));
    EXPECT_EQ(static_sizes({}, 0.5, 20, 4), (Sizes{3, 3, 2, 2}));
    EXPECT_EQ(static_sizes({}, 0, 20, 4), (Sizes{0, 0, 0, 0}));
}

TEST(StaticSizes, FollowTheWeightsWithinOneIteration) {
    EXPECT_EQ(static_sizes(std::vector<double>{2, 1, 0.5, 0.5}, 0.8, 1000, 4), (Sizes{400, 200, 100, 100}));
    EXPECT_EQ(static_sizes(std::vector<double>{1, 0, 1}, 1, 10, 3), (Sizes{5, 0, 5}));
    std::mt19937_64 random(5);
    const auto weights = random_weights(8, random);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto sizes = static_sizes(weights, 0.9, 1'000'000, 8);
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_NEAR(static_cast<double>(sizes[i]), weights[i] / sum * 900'000, 1);
    }
}

TEST(StaticSizes, TakeWeightsThatMakeNoSenseAsEqual) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Sizes equal = static_sizes({}, 0.7, 101, 3);
    for (const std::vector<double>& weights : std::vector<std::vector<double>>{
             {1, 2}, {1, 2, 3, 4}, {0, 0, 0}, {1, -1, 1}, {1, kInfinity, 2}, {1, std::nan(""), 2}}) {
        EXPECT_EQ(static_sizes(weights, 0.7, 101, 3), equal);
    }
    EXPECT_EQ(static_sizes({}, 1, 5, 0), (Sizes{5})) << "no workers count as one";
    EXPECT_EQ(static_sizes(std::vector<double>{1.5e308, 1.5e308, 0}, 1, 10, 3), (Sizes{5, 5, 0})) << "no overflow";
}

}  // namespace
