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

// Else a report would be wrong by the time that the machine slept.
TEST(Clock, TheRateIsMeasuredOnce) {
    gimbal::start_clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const double first = gimbal::seconds_per_tick();
    for (int later = 0; later < 3; ++later) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_EQ(gimbal::seconds_per_tick(), first);
    }
}

TEST(Clock, IsNotTheCounterWhereTheKernelRejectsIt) {
    EXPECT_TRUE(gimbal::detail::trusts_tsc("tsc hpet acpi_pm \n"));
    EXPECT_FALSE(gimbal::detail::trusts_tsc("hpet acpi_pm \n"));
    EXPECT_FALSE(gimbal::detail::trusts_tsc("jiffies \n"));
    EXPECT_TRUE(gimbal::detail::trusts_tsc("kvm-clock \n")) << "computed from the counter";
    EXPECT_TRUE(gimbal::detail::trusts_tsc("hyperv_clocksource_tsc_page acpi_pm \n")) << "the same";
    EXPECT_TRUE(gimbal::detail::trusts_tsc("")) << "not known";
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
