// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/loop_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "base/clock.hpp"
#include "gimbal/schedule.hpp"
#include "loop/schedules.hpp"
#include "team.hpp"

namespace {

using gimbal::test::loop_desc;

struct Free {
    void operator()(gimbal_loop_watch* watch) const { gimbal_loop_watch_free(watch); }
};
using Watch = std::unique_ptr<gimbal_loop_watch, Free>;

gimbal_loop_work work_of(const Watch& watch) {
    gimbal_loop_work work{};
    gimbal_loop_watch_read(watch.get(), &work);
    return work;
}

/// Computes for that long, in ticks: what another process takes away shows in the time, so nothing is asserted of it.
void iterate(std::uint64_t count) {
    const std::uint64_t until = gimbal::ticks() + count * 2000;
    while (gimbal::ticks() < until) {
    }
}

/// One worker of a team of two in a loop that nobody else enters.
struct Worker {
    explicit Worker(std::uintptr_t place, std::uint64_t trip = 1000, std::uint32_t team = 2) {
        desc = loop_desc(place, trip, team, gimbal::intern(gimbal::parse_schedule("ss")));
        execution = gimbal_loop_open(&desc);
        gimbal_loop_begin(execution, 0, &share);
    }
    std::uint64_t draw(int chunks) {
        std::uint64_t sum = 0, first = 0, end = 0;
        for (int i = 0; i < chunks && gimbal_loop_next(&share, &first, &end); ++i) {
            iterate(end - first);
            sum += end - first;
        }
        return sum;
    }
    void leave() {
        if (!gimbal_loop_end(&share)) gimbal_loop_drop(execution);
    }
    gimbal_loop_desc desc;
    void* execution;
    gimbal_share share{};
};

TEST(Watch, TheFirstExecutionIsAsFastAsItself) {
    const Watch watch(gimbal_loop_watch_begin());
    ASSERT_TRUE(watch);
    EXPECT_FALSE(Watch(gimbal_loop_watch_begin())) << "watched already";
    Worker worker(0x7001);
    worker.draw(20);
    worker.leave();
    const gimbal_loop_work work = work_of(watch);
    EXPECT_GT(work.within_s, 0);
    EXPECT_DOUBLE_EQ(work.done_s, work.within_s);
    gimbal_loop_watch_end();
    Worker unseen(0x7001);
    unseen.draw(20);
    unseen.leave();
    EXPECT_EQ(work_of(watch).within_s, work.within_s);
}

TEST(Watch, ALaterExecutionCountsByTheFirstPace) {
    const Watch watch(gimbal_loop_watch_begin());
    Worker first(0x7002);
    const std::uint64_t iterations = first.draw(20);
    first.leave();
    const gimbal_loop_work once = work_of(watch);
    Worker second(0x7002);
    ASSERT_EQ(second.draw(40), 2 * iterations);
    second.leave();
    EXPECT_NEAR(work_of(watch).done_s, 3 * once.done_s, 1e-9 * once.done_s);
    gimbal_loop_watch_end();
}

TEST(Watch, ALoopUnderWayCountsAfterEveryEighthChunk) {
    const Watch watch(gimbal_loop_watch_begin());
    Worker worker(0x7003);
    worker.draw(7);
    EXPECT_EQ(work_of(watch).within_s, 0);
    worker.draw(1);
    const gimbal_loop_work eight = work_of(watch);
    EXPECT_GT(eight.within_s, 0);
    worker.draw(7);
    EXPECT_EQ(work_of(watch).within_s, eight.within_s) << "seven more";
    worker.draw(1);
    const gimbal_loop_work sixteen = work_of(watch);
    EXPECT_NEAR(sixteen.done_s, 2 * eight.done_s, 1e-9 * eight.done_s);
    EXPECT_GT(sixteen.within_s, eight.within_s);
    worker.leave();
    EXPECT_NEAR(work_of(watch).done_s, sixteen.done_s, 1e-9) << "nothing counts twice";
    EXPECT_GE(work_of(watch).within_s, sixteen.within_s);
    gimbal_loop_watch_end();
}

TEST(Watch, ATeamOfOneCountsAtTheEnd) {
    const Watch watch(gimbal_loop_watch_begin());
    Worker worker(0x7004, 1000, 1);
    worker.draw(100);
    EXPECT_EQ(work_of(watch).within_s, 0);
    worker.leave();
    EXPECT_GT(work_of(watch).within_s, 0);
    gimbal_loop_watch_end();
}

TEST(Watch, LoopsWithinLoopsEachCount) {
    const Watch watch(gimbal_loop_watch_begin());
    Worker outer(0x7005);
    outer.draw(8);
    const gimbal_loop_work before = work_of(watch);
    for (int i = 0; i < 3; ++i) {
        Worker inner(0x7006);
        inner.draw(10);
        inner.leave();
    }
    const gimbal_loop_work inside = work_of(watch);
    EXPECT_GT(inside.done_s, before.done_s);
    outer.draw(8);
    outer.leave();
    EXPECT_GT(work_of(watch).done_s, inside.done_s);
    gimbal_loop_watch_end();
}

TEST(Watch, LoopsMayBeDeeperThanIsLookedAt) {
    const Watch watch(gimbal_loop_watch_begin());
    {
        std::vector<std::unique_ptr<Worker>> nest;
        for (std::uintptr_t i = 0; i < 10; ++i) nest.push_back(std::make_unique<Worker>(0x7010 + i));
        for (auto& one : nest) one->draw(8);
        // A loop that was cancelled is left behind, and ends when its thread is in another.
        std::swap(nest[0], nest[9]);
        while (!nest.empty()) {
            nest.back()->leave();
            nest.pop_back();
        }
    }
    const gimbal_loop_work work = work_of(watch);
    EXPECT_GT(work.done_s, 0);
    Worker again(0x7003);
    again.draw(8);
    EXPECT_GT(work_of(watch).done_s, work.done_s) << "there is room again";
    again.leave();
    gimbal_loop_watch_end();
}

TEST(Watch, WhoReadsNeverSeesLess) {
    std::atomic<gimbal_loop_watch*> shared{nullptr};
    std::atomic<bool> done{false};
    std::thread worker([&] {
        shared.store(gimbal_loop_watch_begin());
        for (int i = 0; i < 300; ++i) {
            Worker one(0x7020 + static_cast<std::uintptr_t>(i % 3));
            one.draw(30);
            one.leave();
        }
        gimbal_loop_watch_end();
        done.store(true);
    });
    while (!shared.load()) std::this_thread::yield();
    const Watch watch(shared.load());
    gimbal_loop_work last{};
    while (!done.load()) {
        const gimbal_loop_work now = work_of(watch);
        EXPECT_GE(now.done_s, last.done_s);
        EXPECT_GE(now.within_s, last.within_s);
        last = now;
    }
    worker.join();
    EXPECT_GT(work_of(watch).done_s, 0);
}

}  // namespace
