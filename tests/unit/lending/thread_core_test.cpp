// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/thread_core.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "other_thread.hpp"

namespace gimbal {
namespace {

using test::allowed_cores;
using test::OtherThread;

TEST(CoreMask, CoresComeAndGo) {
    CoreMask mask;
    ASSERT_TRUE(mask.read(0));
    const int core = allowed_cores().front();
    EXPECT_TRUE(mask.has(core));
    EXPECT_FALSE(mask.without(core).has(core));
    EXPECT_EQ(mask.without(core).with(core), mask);
    EXPECT_TRUE(mask.only(core).without(core).empty());
    EXPECT_FALSE(mask.empty());
    EXPECT_FALSE(mask.has(static_cast<int>(CoreMask::kMax)));
}

TEST(CoreMask, AThreadThatEndedHasNone) {
    pid_t gone = 0;
    {
        OtherThread other(allowed_cores().front(), false);
        gone = other.tid();
    }
    CoreMask mask;
    // Who joins it goes on a moment before the kernel has forgotten it.
    while (mask.read(gone)) std::this_thread::yield();
    EXPECT_EQ(thread_time_ns(gone), 0U);
}

TEST(ThreadTime, GrowsForWhoComputesAndNotForWhoSleeps) {
    OtherThread busy(allowed_cores().front());
    const std::uint64_t before = thread_time_ns(busy.tid());
    while (thread_time_ns(busy.tid()) == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));

    std::atomic<pid_t> tid{0};
    std::atomic<bool> over{false};
    std::thread asleep([&] {
        tid.store(this_thread());
        over.wait(false);
    });
    while (tid.load() == 0) sched_yield();
    std::uint64_t last = 0;
    while (thread_time_ns(tid.load()) != last) {  // it is on its way to sleep
        last = thread_time_ns(tid.load());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_GT(last, 0U);
    over.store(true);
    over.notify_all();
    asleep.join();
}

TEST(MoveTo, AThreadMayRunThereTooAndComesBack) {
    const std::vector<int> cores = allowed_cores();
    if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
    OtherThread other(cores[1], false);
    const CoreMask own = other.mask();
    ASSERT_TRUE(move_to(other.tid(), cores[0], own, true));
    EXPECT_EQ(other.mask(), own.with(cores[0]));
    give_back(other.tid(), cores[0], own);
    EXPECT_EQ(other.mask(), own);
}

TEST(MoveTo, AMaskThatSomebodyElseSetMeanwhileStays) {
    const std::vector<int> cores = allowed_cores();
    if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
    OtherThread other(cores[1], false);
    const CoreMask own = other.mask();
    ASSERT_TRUE(move_to(other.tid(), cores[0], own, true));
    test::bind(other.tid(), cores[0]);
    give_back(other.tid(), cores[0], own);
    EXPECT_EQ(other.mask(), own.only(cores[0]));
}

TEST(MoveTo, AThreadThatMayRunAnywhereKeepsItsMask) {
    const std::vector<int> cores = allowed_cores();
    OtherThread other(cores.front(), false);
    CoreMask all;
    ASSERT_TRUE(all.read(0));
    ASSERT_TRUE(all.apply(other.tid()));
    for (const bool unbound : {true, false}) {
        ASSERT_TRUE(move_to(other.tid(), cores.front(), all, unbound));
        EXPECT_EQ(other.mask(), all);
        give_back(other.tid(), cores.front(), all);
        EXPECT_EQ(other.mask(), all);
    }
}

}  // namespace
}  // namespace gimbal
