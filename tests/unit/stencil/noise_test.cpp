// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <chrono>
#include <cmath>
#include <set>

namespace stencil {
namespace {

std::set<std::int64_t> chosen(const Noise& noise, std::int64_t step, std::int64_t iterations) {
    std::set<std::int64_t> result;
    for (std::int64_t i = 0; i < iterations; ++i) {
        if (noise.chooses(step, i)) result.insert(i);
    }
    return result;
}

TEST(Noise, ChoosesAtItsRateAndOtherIterationsInOtherSteps) {
    constexpr std::int64_t kIterations = 100000;
    const Noise noise{NoiseMode::iteration, 1.0, 50, 0, 7};
    const auto first = chosen(noise, 0, kIterations);
    EXPECT_NEAR(static_cast<double>(first.size()), kIterations / 50.0, 5.0 * std::sqrt(kIterations / 50.0));
    EXPECT_EQ(chosen(noise, 0, kIterations), first);
    EXPECT_NE(chosen(noise, 1, kIterations), first);
    Noise other = noise;
    other.seed = 8;
    EXPECT_NE(chosen(other, 0, kIterations), first);
    other.every = 1;
    EXPECT_EQ(chosen(other, 0, 100).size(), 100U);
}

/// Seconds that each thread of a team of two spends in a delay of 2 ms, which a loaded machine can only lengthen.
std::array<double, 2> seconds_in_noise(const Noise& noise) {
    using Clock = std::chrono::steady_clock;
    std::array<double, 2> seconds{};
#pragma omp parallel num_threads(2)
    {
        const auto begin = Clock::now();
        noise.disturb(0, 0);
        seconds.at(static_cast<std::size_t>(omp_get_thread_num())) =
            std::chrono::duration<double>(Clock::now() - begin).count();
    }
    return seconds;
}

TEST(Noise, DelaysEveryThreadOrTheOneItNames) {
    constexpr double kDelay_s = 2e-3;
    Noise noise{NoiseMode::iteration, 1e6 * kDelay_s, 1, 1, 1};
    for (const double seconds : seconds_in_noise(noise)) EXPECT_GE(seconds, kDelay_s);
    noise.mode = NoiseMode::thread;
    EXPECT_GE(seconds_in_noise(noise)[1], kDelay_s);
    // That the other is not delayed: a delay that would never end.
    noise.length_us = 1e12;
    noise.thread = 2;
    seconds_in_noise(noise);
    noise.mode = NoiseMode::none;
    noise.thread = 0;
    seconds_in_noise(noise);
}

}  // namespace
}  // namespace stencil
