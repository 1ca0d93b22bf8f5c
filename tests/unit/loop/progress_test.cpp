// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that ask to be called from inside their loops, and when they are not called any more.
#include "loop/progress.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "gimbal/rank_loop.h"
#include "gimbal/schedule.hpp"
#include "loop/schedules.hpp"
#include "team.hpp"

namespace {

using gimbal::progress_asked;
using gimbal::test::loop_desc;

void count_call(void* calls) {
    ++*static_cast<int*>(calls);
}

void ask(int& calls) {
    gimbal_progress_set(count_call, &calls, 1);
}

void end_all() {
    gimbal_progress_set(nullptr, nullptr, 1);
}

/// A loop of one iteration a chunk, which this thread runs alone as worker 0.
void run_loop(std::uintptr_t place) {
    const auto desc = loop_desc(place, 100, 1, gimbal::intern(gimbal::parse_schedule("ss")));
    void* const execution = gimbal_loop_open(&desc);
    gimbal_share share{};
    gimbal_loop_begin(execution, 0, &share);
    std::uint64_t first = 0, end = 0;
    while (gimbal_loop_next(&share, &first, &end)) {
    }
    gimbal_loop_end(&share);
}

/// Whether a short loop of one thread is left to the caller, sooner or later.
bool is_left(std::uintptr_t place) {
    auto desc = loop_desc(place, 10, 1, gimbal::intern(gimbal::parse_schedule("gss")));
    desc.can_leave = 1;
    for (int k = 0; k < 10'000; ++k) {
        void* const execution = gimbal_loop_open(&desc);
        if (!execution) return true;
        gimbal_share share{};
        gimbal_loop_begin(execution, 0, &share);
        std::uint64_t first = 0, end = 0;
        while (gimbal_loop_next(&share, &first, &end)) {
        }
        gimbal_loop_end(&share);
    }
    return false;
}

/// A thread that has asked and waits until it is to end.
class Asker {
public:
    explicit Asker(int& calls) : thread_([this, &calls] { work(calls); }) { asked_.get_future().wait(); }
    ~Asker() {
        if (thread_.joinable()) end();
    }
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;
    /// Let it run a loop and end. @param place  of the loop; 0: none
    void end(std::uintptr_t place = 0) {
        place_.set_value(place);
        thread_.join();
    }

private:
    void work(int& calls) {
        ask(calls);
        asked_.set_value();
        if (const std::uintptr_t place = place_.get_future().get()) run_loop(place);
    }
    std::promise<void> asked_;
    std::promise<std::uintptr_t> place_;
    std::thread thread_;  // the last: it uses the others
};

TEST(Progress, WorkerZeroCallsUntilThatIsEnded) {
    int calls = 0;
    ask(calls);
    EXPECT_TRUE(progress_asked());
    run_loop(0xA101);
    EXPECT_GT(calls, 0);
    end_all();
    EXPECT_FALSE(progress_asked());
    const int before = calls;
    run_loop(0xA101);
    EXPECT_EQ(calls, before);
}

TEST(Progress, LoopsAreLeftToTheCallerOnlyWhileNobodyAsks) {
    int calls = 0;
    ask(calls);
    ask(calls);
    EXPECT_FALSE(is_left(0xA201));
    end_all();
    EXPECT_TRUE(is_left(0xA202));
}

TEST(Progress, AThreadThatEndsAsksNoMore) {
    int calls = 0;
    Asker(calls).end(0xA301);
    EXPECT_GT(calls, 0);
    EXPECT_FALSE(progress_asked());
    EXPECT_TRUE(is_left(0xA302));
}

TEST(Progress, AnyThreadEndsItForAllOfThem) {
    int calls = 0;
    Asker one(calls), two(calls);
    end_all();
    EXPECT_FALSE(progress_asked());
    one.end(0xA401);
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(is_left(0xA402));
}

TEST(Progress, WhatWasEndedForAllIsNotEndedOnceMoreByItsThread) {
    int calls = 0;
    Asker before(calls);
    end_all();
    Asker after(calls);
    before.end();
    EXPECT_TRUE(progress_asked()) << "a later thread still asks";
    after.end(0xA501);
    EXPECT_GT(calls, 0);
    EXPECT_FALSE(progress_asked());
}

TEST(Progress, AThreadAsksAgainAfterItWasEnded) {
    int calls = 0;
    ask(calls);
    std::thread(end_all).join();
    ask(calls);
    EXPECT_TRUE(progress_asked());
    run_loop(0xA601);
    EXPECT_GT(calls, 0);
    end_all();
    EXPECT_FALSE(progress_asked());
}

}  // namespace
