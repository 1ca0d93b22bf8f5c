// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/background.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <future>
#include <iterator>
#include <vector>

namespace {

using gimbal::run_in_background;

/// Waits until everything that was asked for before has run.
void drain() {
    std::promise<void> done;
    ASSERT_TRUE(run_in_background(true, [&] { done.set_value(); }));
    done.get_future().wait();
}

TEST(Background, JobsRunInOrderOnOneOtherThreadThatTakesNoSignals) {
    std::vector<int> order;
    std::vector<pthread_t> threads;
    bool blocked = false;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(run_in_background(true, [&, i] {
            order.push_back(i);
            threads.push_back(pthread_self());
            sigset_t mask;
            pthread_sigmask(SIG_SETMASK, nullptr, &mask);
            blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGALRM) == 1;
        }));
    }
    drain();
    ASSERT_EQ(order.size(), 100U);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
        EXPECT_FALSE(pthread_equal(threads[static_cast<std::size_t>(i)], pthread_self()));
        EXPECT_TRUE(pthread_equal(threads[static_cast<std::size_t>(i)], threads[0]));
    }
    EXPECT_TRUE(blocked);
}

// In a child, which has no thread yet.
TEST(Background, AThreadThatNobodyWantsLeavesAndAnotherOneComesWhenOneIsWanted) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the thread sanitizer has a thread of its own in a child";
#endif
    const pid_t child = fork();
    if (child == 0) {
        gimbal::restart_background_in_child();
        const auto threads = [] {
            const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
            return std::distance(begin(tasks), end(tasks));
        };
        if (!gimbal::start_background() || threads() != 2) _exit(1);
        for (int tries = 0; threads() > 1; ++tries) {
            if (tries == 6000) _exit(2);
            usleep(10'000);
        }
        drain();
        _exit(threads() == 2 ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(Background, OnWishAJobRunsHereAndNow) {
    bool ran = false;
    EXPECT_TRUE(run_in_background(false, [&] { ran = true; }));
    EXPECT_TRUE(ran);
}

TEST(Background, AJobThatThrowsThrowsInTheCallerHereAndEndsNothingElsewhere) {
    EXPECT_FALSE(run_in_background(false, [] { throw std::bad_alloc(); }));
    EXPECT_TRUE(run_in_background(true, [] { throw std::bad_alloc(); }));
    drain();
}

TEST(Background, AForkedChildHasAThreadOfItsOwnWhenItNeedsOne) {
    drain();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        gimbal::restart_background_in_child();
        std::promise<void> done;
        const bool taken = run_in_background(true, [&] { done.set_value(); });
        if (taken) done.get_future().wait();
        _exit(taken ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Background, AJobIsRepeatedAmongTheOthersAndOneThatIsStuckIsNotWaitedForForEver) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        gimbal::restart_background_in_child();
        std::atomic<int> times = 0;
        std::promise<void> thrice;
        bool taken = gimbal::repeat_in_background([&] {
            if (++times == 3) thrice.set_value();
            return 0.001;
        });
        taken &= !gimbal::repeat_in_background([] { return 1.0; });
        thrice.get_future().wait();
        std::promise<void> begun;
        taken &= run_in_background(true, [&] {
            begun.set_value();
            pause();
        });
        begun.get_future().wait();
        gimbal::stop_background();
        _exit(taken ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Background, HasRoomWhereTheProgramsThreadsHaveLittle) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        gimbal::restart_background_in_child();
        pthread_attr_t little;
        pthread_attr_init(&little);
        pthread_attr_setstacksize(&little, std::size_t{1} << 17U);
        pthread_setattr_default_np(&little);
        std::promise<void> ran;
        const bool taken = gimbal::run_in_background(true, [&] {
            volatile char much[std::size_t{1} << 19U];
            for (std::size_t k = 0; k < sizeof much; k += 1024) much[k] = 1;
            ran.set_value();
        });
        if (taken) ran.get_future().wait();
        _exit(taken ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Background, AJobToBeRepeatedForWhichThereIsNoThreadCanBeHandedInOnceMore) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        gimbal::restart_background_in_child();
        pthread_attr_t usual, beyond;
        pthread_getattr_default_np(&usual);
        pthread_getattr_default_np(&beyond);
        pthread_attr_setstacksize(&beyond, std::size_t{1} << 50U);
        std::promise<void> ran;
        const auto job = [&] {
            ran.set_value();
            return 1e6;
        };
        pthread_setattr_default_np(&beyond);
        const bool refused = !gimbal::repeat_in_background(job);
        pthread_setattr_default_np(&usual);
        const bool taken = gimbal::repeat_in_background(job);
        if (refused && taken) ran.get_future().wait();
        _exit(refused && taken ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

double clock_s(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void spin(double time_s) {
    const double begun_s = gimbal::thread_cpu_s();
    while (gimbal::thread_cpu_s() - begun_s < time_s) {
    }
}

// By the processor clocks of the thread and the process, which other load does not move. In a child, where both begin
// at zero.
[[noreturn]] void work_beside_the_background() {
    constexpr double kPiece_s = 1e-3;
    gimbal::restart_background_in_child();
    const double begun_s = clock_s(CLOCK_MONOTONIC);
    std::atomic<int> pieces = 0;
    std::atomic<bool> enough = false;
    std::promise<double> spent_s;
    const bool taken = run_in_background(true, [&] {
        while (!enough && gimbal::wait_for_share(kPiece_s)) {
            spin(kPiece_s);
            ++pieces;
        }
        spent_s.set_value(gimbal::thread_cpu_s());
    });
    spin(0.8);
    for (int more = 0; more < 100 && pieces == 0; ++more) spin(0.05);
    enough = true;
    // Its share, a piece that had begun, and what looking takes. It may wait for its share still, which grows only
    // while the process works.
    std::future<double> all_s = spent_s.get_future();
    while (taken && all_s.wait_for(std::chrono::seconds(0)) != std::future_status::ready) spin(0.01);
    const double spent = taken ? all_s.get() : 1;
    const double used_s = std::max(clock_s(CLOCK_PROCESS_CPUTIME_ID), clock_s(CLOCK_MONOTONIC) - begun_s);
    const bool kept = spent <= 0.005 * used_s + 2 * kPiece_s;
    // Once it looked so often that looking took the share.
    const bool mostly_work = spent - pieces * kPiece_s <= 0.0025 * used_s + kPiece_s;
    _exit(kept && mostly_work && pieces > 0 ? 0 : 1);
}

TEST(Background, ItTakesHalfAPerCentOfTheProcessorTimeHoweverMuchThereIsToDo) {
    // A moment that a hypervisor takes away counts as the thread's own, and may be longer than its share: three are
    // unlikely.
    constexpr int kTries = 3;
    int status = -1;
    for (int tries = 0; tries < kTries && status != 0; ++tries) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) work_beside_the_background();
        ASSERT_EQ(waitpid(child, &status, 0), child);
    }
    EXPECT_EQ(status, 0) << "the exit status of the last child, as waitpid() has it";
}

TEST(Background, AnUrgentJobPassesThoseThatWaitAndTheOneThatWaitsForItsShare) {
    std::vector<char> order;
    std::promise<void> begun, handed_in;
    ASSERT_TRUE(run_in_background(true, [&] {
        begun.set_value();
        handed_in.get_future().wait();
        EXPECT_TRUE(gimbal::wait_for_share(0));
        order.push_back('w');
    }));
    begun.get_future().wait();
    ASSERT_TRUE(run_in_background(true, [&] { order.push_back('j'); }));
    const auto urgent = [&] {
        EXPECT_TRUE(gimbal::wait_for_share(0));  // the second one does not run in the midst of the first
        order.push_back('u');
    };
    ASSERT_TRUE(run_in_background(true, urgent, /*urgent=*/true));
    const auto second = [&] { order.push_back('v'); };
    ASSERT_TRUE(run_in_background(true, second, /*urgent=*/true));
    handed_in.set_value();
    drain();
    EXPECT_EQ(order, (std::vector<char>{'u', 'v', 'w', 'j'}));
}

TEST(Background, OnOtherThreadsNobodyWaitsForAShare) {
    EXPECT_TRUE(gimbal::wait_for_share(1e9));
}

TEST(Background, WhenTheProcessEndsNothingIsTakenAnyMore) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        gimbal::restart_background_in_child();
        std::promise<void> begun;
        bool finished = false;
        run_in_background(true, [&] {
            begun.set_value();
            usleep(20000);
            finished = true;
        });
        begun.get_future().wait();
        gimbal::stop_background();
        const bool refused = !run_in_background(true, [] {});
        _exit(finished && refused && gimbal::background_is_stopping() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
