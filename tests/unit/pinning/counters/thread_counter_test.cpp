// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real threads; only ratios of what they get are tested, and those with room, because the machine may be busy.
#include "counters/thread_counter.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>

#include "machine/affinity.hpp"
#include "support.hpp"

namespace gimbal::pin {
namespace {

/// Above what the kernel gives out unless all others are taken.
constexpr pid_t kNobody = 4194303;

using test::Repeating;

constexpr SpeedRules kLoose{.period_s = 0.02, .blocked_below = 0.05, .most_per_ns = 64};

CounterTarget target(pid_t tid, const std::atomic<std::uint64_t>* progress = nullptr) {
    return {.pid = 0, .tid = tid, .progress = progress};
}

/// Until the counter's thread has had the processor for this long, or two seconds have passed.
Speed measure(ThreadCounter& counter, std::int64_t cpu_ns) {
    const Reading before = counter.read();
    Reading after = before;
    for (int i = 0; i < 200 && after.cpu_time_ns < before.cpu_time_ns + cpu_ns; ++i) {
        test::wait_ms(10);
        after = counter.read();
    }
    return speed_between(before, after, kLoose);
}

TEST(ThreadCounter, ABusyThreadIsNotBlocked) {
    const Repeating busy(test::spin);
    ThreadCounter counter;
    ASSERT_TRUE(counter.open(Backend::cpu_time, target(busy.tid()))) << counter.error();
    const Speed speed = measure(counter, 20'000'000);
    EXPECT_EQ(speed.verdict, Verdict::ok) << verdict_name(speed.verdict);
    EXPECT_NEAR(speed.per_s / 1e9, speed.cpu_share, 0.05);
}

TEST(ThreadCounter, ASleepingThreadIsBlocked) {
    const Repeating idle([] { test::wait_ms(20); });
    ThreadCounter counter;
    ASSERT_TRUE(counter.open(Backend::cpu_time, target(idle.tid())));
    const Reading before = counter.read();
    test::wait_ms(200);
    const Speed speed =
        speed_between(before, counter.read(), {.period_s = 0.1, .blocked_below = 0.3, .most_per_ns = 0});
    EXPECT_EQ(speed.verdict, Verdict::blocked) << speed.cpu_share << ' ' << speed.wait_share;
}

TEST(ThreadCounter, TwoThreadsOnOneProcessorShareIt) {
    std::vector<int> mask;
    ASSERT_EQ(get_affinity(0, mask), 0);
    const std::vector<int> one{mask.back()};
    const auto bind = [&] { (void)set_affinity(0, one); };
    const Repeating first(test::spin, bind), second(test::spin, bind);
    ThreadCounter a, b;
    ASSERT_TRUE(a.open(Backend::cpu_time, target(first.tid())));
    ASSERT_TRUE(b.open(Backend::cpu_time, target(second.tid())));
    const Reading a0 = a.read(), b0 = b.read();
    Reading a1 = a0, b1 = b0;
    for (int i = 0; i < 300 && std::min(a1.cpu_time_ns - a0.cpu_time_ns, b1.cpu_time_ns - b0.cpu_time_ns) < 100'000'000;
         ++i) {
        test::wait_ms(20);
        a1 = a.read();
        b1 = b.read();
    }
    const Speed sa = speed_between(a0, a1, kLoose), sb = speed_between(b0, b1, kLoose);
    ASSERT_TRUE(sa.valid() && sb.valid());
    EXPECT_LT(sa.cpu_share + sb.cpu_share, 1.1);
    EXPECT_GT(sa.per_s / sb.per_s, 0.4);
    EXPECT_LT(sa.per_s / sb.per_s, 2.5);
    if (sa.wait_share >= 0) {
        EXPECT_GT(sa.wait_share, 0.2);  // the sign of interference
        EXPECT_GT(sa.wait_share + sa.cpu_share, 0.8);
    }
}

TEST(ThreadCounter, ProgressIsWhatTheApplicationCounts) {
    std::atomic<std::uint64_t> count{0};
    const Repeating busy([&] {
        test::spin();
        count.fetch_add(3, std::memory_order_relaxed);
    });
    ThreadCounter counter;
    ASSERT_TRUE(counter.open(Backend::progress, target(busy.tid(), &count)));
    const Reading before = counter.read();
    const std::uint64_t seen = count.load();
    EXPECT_LE(before.value, static_cast<std::int64_t>(seen));
    const Speed speed = measure(counter, 20'000'000);
    EXPECT_EQ(speed.verdict, Verdict::ok);
    EXPECT_GT(speed.per_s, 0);
}

TEST(ThreadCounter, WithoutProgressItSaysSoAndStillTellsTimes) {
    const Repeating busy(test::spin);
    ThreadCounter counter;
    EXPECT_FALSE(counter.open(Backend::progress, target(busy.tid())));
    EXPECT_EQ(counter.error(), "this thread reports no progress");
    const Reading reading = counter.read();
    EXPECT_FALSE(reading.valid);
    EXPECT_GT(reading.wall_ns, 0);
}

TEST(ThreadCounter, ProgressMayComeWithItsTime) {
    test::Repeating busy(test::spin);
    std::int64_t counted = 7;
    ThreadCounter counter;
    const auto read = [](void* of, std::int64_t& value_ns, std::int64_t& within_ns) noexcept {
        value_ns = *static_cast<std::int64_t*>(of);
        within_ns = 2 * value_ns;
    };
    ASSERT_TRUE(counter.open(Backend::progress,
                             {.pid = 0, .tid = busy.tid(), .progress = nullptr, .timed = read, .timed_of = &counted}));
    const Reading reading = counter.read();
    EXPECT_TRUE(reading.valid);
    EXPECT_EQ(reading.value, 7);
    EXPECT_EQ(reading.within_ns, 14);
}

TEST(ThreadCounter, AThreadThatEndedIsUnreadableAndHarmless) {
    auto busy = std::make_unique<Repeating>(test::spin);
    ThreadCounter counter;
    ASSERT_TRUE(counter.open(Backend::cpu_time, target(busy->tid())));
    EXPECT_TRUE(counter.read().valid);
    busy.reset();
    // The kernel may take a moment to forget it after join() has returned.
    Reading reading = counter.read();
    for (int i = 0; i < 200 && reading.valid; ++i) {
        test::wait_ms(5);
        reading = counter.read();
    }
    EXPECT_FALSE(reading.valid);
}

TEST(ThreadCounter, ThreadsThatNeverWereAreUnreadable) {
    ThreadCounter counter;
    EXPECT_FALSE(counter.read().valid);
    counter.open(Backend::cpu_time, target(kNobody));
    EXPECT_FALSE(counter.read().valid);
    EXPECT_FALSE(ThreadCounter().start_here());
    ThreadCounter().stop_here();
}

TEST(ThreadCounter, ReadsAnotherProcess) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        for (int i = 0; i < 200'000; ++i) test::spin();  // ends by itself if the test dies
        _exit(0);
    }
    ThreadCounter counter;
    EXPECT_TRUE(counter.open(Backend::cpu_time, {.pid = child, .tid = child, .progress = nullptr})) << counter.error();
    const Speed speed = measure(counter, 20'000'000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(speed.verdict, Verdict::ok) << verdict_name(speed.verdict);
}

TEST(ThreadCounter, WaitingSharesAreNeverNegative) {
    const Repeating busy(test::spin);
    ThreadCounter counter;
    counter.open(Backend::cpu_time, target(busy.tid()));
    Reading before = counter.read();
    for (int i = 0; i < 20; ++i) {
        const Reading after = counter.read();
        EXPECT_GE(after.cpu_time_ns, before.cpu_time_ns);
        EXPECT_GE(after.wait_ns, before.wait_ns);
        before = after;
    }
}

}  // namespace
}  // namespace gimbal::pin
