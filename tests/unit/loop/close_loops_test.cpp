// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/close_loops.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "gimbal/loop.h"
#include "loop/schedules.hpp"
#include "team.hpp"

namespace {

using gimbal::CloseLoops;

std::uint64_t ticks_of(double us) {
    return static_cast<std::uint64_t>(us * gimbal::ticks_per_microsecond());
}

constexpr std::uint64_t kTrip = 10;

TEST(CloseLoops, TheFifthNewLoopInARowMayBeLeft) {
    CloseLoops loops;
    std::atomic<bool> is_short[6] = {};
    std::uint64_t now = ticks_of(1e6);
    for (int k = 0; k < 6; ++k) {
        EXPECT_EQ(loops.open(is_short[k], now, kTrip), k >= 4) << k;
        now += ticks_of(10);
    }
    EXPECT_TRUE(is_short[4]);
    EXPECT_FALSE(is_short[5]) << "the thread may be in it still";
}

TEST(CloseLoops, OneThatIsLongEndsTheRow) {
    CloseLoops loops;
    std::atomic<bool> is_short[12] = {};
    std::uint64_t now = ticks_of(1e6);
    for (int k = 0; k < 12; ++k) {
        EXPECT_EQ(loops.open(is_short[k], now, kTrip), k == 4 || k == 5 || k >= 10) << k;
        now += ticks_of(k == 5 ? 100 : 10);
    }
    EXPECT_FALSE(is_short[5]);
}

// It may be what the program is for.
TEST(CloseLoops, OneOfManyMoreIterationsIsOpened) {
    CloseLoops loops;
    std::atomic<bool> is_short[7] = {};
    const std::uint64_t now = ticks_of(1e6);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(loops.open(is_short[k], now, k == 2 ? 2 * kTrip : kTrip), k == 4) << k;
    EXPECT_TRUE(loops.open(is_short[5], now, 3 * kTrip));
    EXPECT_FALSE(loops.open(is_short[6], now, 100 * kTrip));
}

TEST(CloseLoops, ALoopThatIsGoneIsNotWrittenTo) {
    CloseLoops loops;
    std::atomic<bool> gone{false}, next{false};
    const std::uint64_t now = ticks_of(1e6);
    (void)loops.open(gone, now, kTrip);
    loops.forget(gone);
    (void)loops.open(next, now, kTrip);
    EXPECT_FALSE(gone);
}

/// One execution by one thread, as both workers of the team. @return whether the loop was opened
bool run(std::uintptr_t id) {
    auto desc = gimbal::test::loop_desc(id, 10, 2, gimbal::intern({}));
    desc.can_leave = 1;
    void* const execution = gimbal_loop_open(&desc);
    if (execution == nullptr) return false;
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
        gimbal_share share{};
        gimbal_loop_begin(execution, worker, &share);
        std::uint64_t first = 0, end = 0;
        while (gimbal_loop_next(&share, &first, &end)) {
        }
        gimbal_loop_end(&share);
    }
    return true;
}

void expect_calls(std::uintptr_t id, std::uint64_t calls, std::uint64_t left) {
    const gimbal::LoopSummary all = gimbal::find_site(gimbal::test::loop_desc(id, 10, 2, 0))->summary(1e-9, 0);
    EXPECT_EQ(all.calls, calls);
    EXPECT_EQ(all.untimed_calls, left);
    EXPECT_EQ(all.iterations, 10 * calls);
}

/// Why its last calls were left.
void expect_reason(std::uintptr_t id, std::string_view reason) {
    const gimbal::LoopSummary all = gimbal::find_site(gimbal::test::loop_desc(id, 10, 2, 0))->summary(1e-9, 0);
    EXPECT_EQ(all.schedules.back().reason, reason);
}

/// As if this thread had come to five short loops, the last of them so long from now.
void come_to_five(double later_us) {
    static std::atomic<bool> were_short[5] = {};
    const std::uint64_t then = gimbal::ticks() + ticks_of(later_us);
    for (std::atomic<bool>& was_short : were_short) (void)gimbal::close_loops.open(was_short, then, kTrip);
}

/// The first loop that is not opened, however long this machine takes to open one. @return 0: none
std::uintptr_t first_left(std::uintptr_t id, std::uintptr_t end) {
    for (; id < end; ++id) {
        come_to_five(static_cast<double>(10 * (id % 256)));
        if (!run(id)) return id;
    }
    return 0;
}

TEST(CloseLoops, WhatIsNotSeenToBeShortIsOpenedTheNextTime) {
    const std::uintptr_t left = first_left(0x1000, 0x2000);
    ASSERT_NE(left, 0U);
    usleep(2000);
    expect_reason(left, "left unseen, among short loops");
    EXPECT_TRUE(run(left));
    expect_calls(left, 2, 1);
    expect_reason(left, "left unseen, among short loops");
}

TEST(CloseLoops, WhatWasShortIsLeftForAWhile) {
    bool was_short = false;
    for (std::uintptr_t id = 0x2000; id < 0x3000 && !was_short;) {
        const std::uintptr_t left = first_left(id, 0x3000);
        ASSERT_NE(left, 0U);
        come_to_five(0);
        was_short = !run(left);
        if (was_short) {
            expect_calls(left, 2, 2);
            expect_reason(left, "too short: left static");
        }
        id = left + 1;
    }
    EXPECT_TRUE(was_short);
}

}  // namespace
