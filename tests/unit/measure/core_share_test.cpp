// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/core_share.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using gimbal::CoreShare;
using gimbal::ThreadUsage;

/// A thread that takes turns with a neighbour, in milliseconds, and is looked at when the test says so.
class Thread {
public:
    Thread() { share_.scale(kTick); }

    /// It computes and is looked at often. @param ms  >= 0
    void run(int ms) {
        for (int i = 0; i < 10 * ms; ++i) {
            now_ += static_cast<std::uint64_t>(kTick) * 100;
            usage_.processor += kTick * 100;
            EXPECT_FALSE(share_.overdue(now_));
        }
    }
    /// It computes where nobody looks.
    void run_unseen(int ms) {
        now_ += static_cast<std::uint64_t>(kTick) * 1000 * static_cast<std::uint64_t>(ms);
        usage_.processor += kTick * 1000 * ms;
    }
    void lose_core(int ms) {
        now_ += static_cast<std::uint64_t>(kTick) * 1000 * static_cast<std::uint64_t>(ms);
        ++usage_.preempted;
    }
    void sleep(int ms) {
        now_ += static_cast<std::uint64_t>(kTick) * 1000 * static_cast<std::uint64_t>(ms);
        ++usage_.slept;
    }
    bool enter() { return share_.enter(now_, usage_); }
    double back() {
        EXPECT_TRUE(share_.overdue(now_));
        return share_.back(now_, usage_) / kTick / 1000;
    }
    [[nodiscard]] double left_ms() const { return share_.left(now_) / kTick / 1000; }
    [[nodiscard]] double absence_ms() const { return share_.absence() / kTick / 1000; }

    /// Three turns of 4 ms, all seen.
    void learn() {
        enter();
        for (int turn = 0; turn < 3; ++turn) {
            run(4);
            lose_core(4);
            EXPECT_NEAR(back(), 4, 0.01);
        }
    }

private:
    static constexpr double kTick = 3;  // per us
    CoreShare share_;
    std::uint64_t now_ = 1'000'000;
    ThreadUsage usage_{.processor = 5, .preempted = 7, .slept = 9};
};

TEST(CoreShare, NobodyTakesAnythingAsFarAsIsKnown) {
    Thread thread;
    EXPECT_FALSE(thread.enter());
    thread.run(20);
    EXPECT_FALSE(thread.enter());
    EXPECT_TRUE(std::isinf(thread.left_ms()));
}

TEST(CoreShare, TurnsThatWereSeenTellWhenTheNextOneEnds) {
    Thread thread;
    thread.learn();
    EXPECT_NEAR(thread.absence_ms(), 4, 0.01);
    EXPECT_NEAR(thread.left_ms(), 4, 0.01);
    thread.run(3);
    EXPECT_NEAR(thread.left_ms(), 1, 0.01);
    thread.run(2);
    EXPECT_NEAR(thread.left_ms(), -1, 0.01) << "late, but not by much";
}

TEST(CoreShare, AnAbsenceThatNobodySawIsPlacedByTheTurnsBefore) {
    Thread thread;
    thread.learn();
    thread.run(3);
    thread.run_unseen(1);
    thread.lose_core(4);
    thread.run_unseen(1);
    EXPECT_TRUE(thread.enter());
    EXPECT_NEAR(thread.left_ms(), 3, 0.05) << "of a turn that began 1 ms ago";
    thread.run_unseen(3);
    thread.lose_core(4);
    thread.run_unseen(4);
    thread.lose_core(4);
    EXPECT_TRUE(thread.enter()) << "two turns later";
    EXPECT_NEAR(thread.left_ms(), 4, 0.05);
}

TEST(CoreShare, ANeighbourThatHasGoneIsForgotten) {
    Thread thread;
    thread.learn();
    thread.run(9);
    EXPECT_FALSE(thread.enter());
    EXPECT_TRUE(std::isinf(thread.left_ms()));
}

TEST(CoreShare, ATurnBeginsWhenTheThreadWakes) {
    Thread thread;
    thread.learn();
    thread.run(2);
    thread.sleep(3);
    EXPECT_FALSE(thread.enter());
    EXPECT_NEAR(thread.left_ms(), 4, 0.01);
}

// A long iteration takes processor time; a page that comes from a disk is no preemption.
TEST(CoreShare, ALongGapIsNoAbsenceByItself) {
    Thread thread;
    thread.learn();
    thread.run_unseen(2);
    EXPECT_EQ(thread.back(), 0);
    EXPECT_NEAR(thread.left_ms(), 2, 0.01);
    thread.sleep(2);
    EXPECT_EQ(thread.back(), 0);
}

TEST(CoreShare, TheSystemCountsThisThread) {
    const ThreadUsage before = gimbal::thread_usage();
    volatile double sink = 0;
    for (int i = 0; i < 30'000'000; ++i) sink = sink + 1;
    EXPECT_GT(gimbal::thread_usage().processor, before.processor);
}

}  // namespace
