// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/noise.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/clock.hpp"

namespace gimbal {

namespace {

constexpr int kWarmUp = 50;
constexpr int kBursts = 1000;
constexpr std::uint64_t kBudget_ns = 2'500'000;  // of the 3 ms that are promised

/// A fixed piece of arithmetic that no compiler can shorten, 1 to 2 us: each step needs the last one's result.
double burst() noexcept {
    static std::atomic<std::uint64_t> sink;
    const std::uint64_t begin = ticks();
    std::uint64_t x = begin | 1U;
    for (int i = 0; i < 1000; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
    sink.store(x, std::memory_order_relaxed);  // nobody reads it
    return static_cast<double>(ticks() - begin);
}

double measure_noise() noexcept {
    const std::uint64_t begin_ns = monotonic_ns();
    for (int i = 0; i < kWarmUp; ++i) burst();
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0;
    double second = 0;
    for (int i = 0; i < kBursts && monotonic_ns() - begin_ns < kBudget_ns; ++i) {
        const double time = burst();
        shortest = std::min(shortest, time);
        second = std::max(second, std::min(longest, time));
        longest = std::max(longest, time);
    }
    return std::max(second - shortest, 0.0);
}

}  // namespace

double noise_ticks() noexcept {
    static const double noise = measure_noise();
    return noise;
}

}  // namespace gimbal
