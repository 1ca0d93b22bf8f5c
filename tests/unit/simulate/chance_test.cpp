// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/chance.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace gimbal::simulate;
using gimbal::random_bits;

constexpr int kDraws = 100000;

struct Moments {
    double mean = 0;
    double sd = 0;
    double neighbours = 0;  // correlation of successive numbers
};

template <class Draw>
Moments moments_of(Draw draw) {
    double sum = 0;
    double squares = 0;
    double products = 0;
    double last = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        const double x = draw(i);
        sum += x;
        squares += x * x;
        products += x * last;
        last = x;
    }
    Moments moments;
    moments.mean = sum / kDraws;
    const double variance = squares / kDraws - moments.mean * moments.mean;
    moments.sd = std::sqrt(variance);
    moments.neighbours = (products / kDraws - moments.mean * moments.mean) / variance;
    return moments;
}

TEST(Chance, BellHasMeanZeroAndDeviationOne) {
    const Moments moments = moments_of([](std::uint64_t i) { return bell_of(random_bits(7, i)); });
    EXPECT_NEAR(moments.mean, 0, 0.02);
    EXPECT_NEAR(moments.sd, 1, 0.02);
    EXPECT_NEAR(moments.neighbours, 0, 0.02);
}

TEST(Chance, ExponentialHasMeanAndDeviationOne) {
    const Moments moments = moments_of([](std::uint64_t i) { return exponential_of(random_bits(7, i)); });
    EXPECT_NEAR(moments.mean, 1, 0.02);
    EXPECT_NEAR(moments.sd, 1, 0.03);
}

TEST(Chance, UniformStaysInsideTheInterval) {
    EXPECT_GT(uniform_of(0), 0);
    EXPECT_LT(uniform_of(UINT64_MAX), 1);
    const Moments moments = moments_of([](std::uint64_t i) { return uniform_of(random_bits(3, 5, i)); });
    EXPECT_NEAR(moments.mean, 0.5, 0.01);
    EXPECT_NEAR(moments.sd, std::sqrt(1.0 / 12), 0.01);
}

TEST(Chance, SeedAndKeysEachMatter) {
    EXPECT_NE(random_bits(1, 2, 3), random_bits(2, 2, 3));
    EXPECT_NE(random_bits(1, 2, 3), random_bits(1, 3, 3));
    EXPECT_NE(random_bits(1, 2, 3), random_bits(1, 2, 4));
    EXPECT_EQ(random_bits(1, 2, 3), random_bits(1, 2, 3));
}

}  // namespace
