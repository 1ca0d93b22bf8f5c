// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

TEST(Clock, TicksAreSecondsTimesARateThatStaysTheSame) {
    gimbal::start_clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const std::uint64_t ticks_before = gimbal::ticks();
    const std::uint64_t ns_before = gimbal::monotonic_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const double ns = static_cast<double>(gimbal::monotonic_ns() - ns_before);
    const double by_ticks = static_cast<double>(gimbal::ticks() - ticks_before) * gimbal::seconds_per_tick() * 1e9;
    EXPECT_NEAR(by_ticks / ns, 1, 0.05);
}

TEST(Clock, NeverRunsBackwards) {
    std::uint64_t before = gimbal::ticks();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = gimbal::ticks();
        ASSERT_GE(now, before);
        before = now;
    }
}

}  // namespace
