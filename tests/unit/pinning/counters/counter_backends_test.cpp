// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/counter_backends.hpp"

#include <gmock/gmock.h>

#include "counters/hardware_event.hpp"
#include "counters/thread_counter.hpp"
#include "gimbal/error.hpp"
#include "support.hpp"

namespace gimbal::pin {
namespace {

/// Above what the kernel gives out unless all others are taken.
constexpr pid_t kNobody = 4194303;

using testing::HasSubstr;

TEST(CounterBackends, FindsABackendThatCountsARealThread) {
    const BackendChoice choice = choose_backend();
    SCOPED_TRACE(choice.text());
    ThreadCounter counter;
    std::atomic<bool> started{true};
    const auto prepare = [&] {
        counter.open(choice.backend, {.pid = 0, .tid = test::own_tid(), .progress = nullptr});
        started = counter.start_here();
    };
    test::Repeating busy(test::spin, prepare, [&] { counter.stop_here(); });
    EXPECT_TRUE(started) << counter.error();
    const Reading before = counter.read();
    Reading after = before;
    for (int i = 0; i < 200 && after.cpu_time_ns < before.cpu_time_ns + 10'000'000; ++i) {
        test::wait_ms(10);
        after = counter.read();
    }
    EXPECT_TRUE(after.valid);
    EXPECT_GT(after.value, before.value);
}

TEST(CounterBackends, SaysWhyTheBetterBackendsFailed) {
    const BackendChoice choice = choose_backend();
    ASSERT_FALSE(choice.attempts.empty());
    EXPECT_EQ(choice.attempts.back(), std::string(backend_name(choice.backend)) + ": works");
    for (std::size_t i = 0; i + 1 < choice.attempts.size(); ++i) {
        EXPECT_THAT(choice.attempts[i], testing::MatchesRegex("[a-z-]+: .+"));
        EXPECT_THAT(choice.attempts[i], testing::Not(testing::EndsWith("works")));
        EXPECT_THAT(choice.text(), HasSubstr(choice.attempts[i]));
    }
    EXPECT_THAT(choice.text(), HasSubstr("metric " + std::string(backend_name(choice.backend))));
    std::printf("%s\n", choice.text().c_str());
}

TEST(CounterBackends, PrefersProgressWhereItIsOffered) {
    const BackendChoice choice = choose_backend({}, true);
    EXPECT_EQ(choice.backend, Backend::progress);
    EXPECT_EQ(choice.attempts.size(), 1U);
}

TEST(CounterBackends, NothingIsStartedInsideUnlessAskedFor) {
    EXPECT_NE(choose_backend().backend, Backend::papi_inside);
}

TEST(CounterBackends, TheUsersWishComesFirstAndIsReplacedInWords) {
    EXPECT_EQ(choose_backend(Backend::cpu_time, true).backend, Backend::cpu_time);
    const BackendChoice choice = choose_backend(Backend::progress);
    EXPECT_NE(choice.backend, Backend::progress);
    EXPECT_THAT(choice.text(), HasSubstr("\"progress\" was asked for and does not work here"));
}

TEST(CounterBackends, ProcessorTimeSaysWhatItCannotSee) {
    const BackendChoice choice = choose_backend(Backend::cpu_time);
    EXPECT_THAT(choice.text(), HasSubstr("not slow memory"));
    EXPECT_FALSE(sees_memory(choice.backend));
    EXPECT_TRUE(sees_memory(Backend::progress));
}

TEST(CounterBackends, NamesAreReadAndRefused) {
    for (int i = 0; i < kBackends; ++i) {
        const auto backend = static_cast<Backend>(i);
        EXPECT_EQ(parse_metric(backend_name(backend), "x"), backend);
    }
    EXPECT_EQ(parse_metric("auto", "x"), std::nullopt);
    try {
        (void)parse_metric("ipc", "GIMBAL_PIN_METRIC");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("GIMBAL_PIN_METRIC: unknown metric \"ipc\""));
        EXPECT_THAT(error.hint(), HasSubstr("papi-inside"));
    }
}

TEST(PerfEvent, TaskClockAdvancesOrTheRefusalIsInWords) {
    PerfEvent event;
    const std::string refusal = event.open(PerfKind::task_clock, test::own_tid());
    if (!refusal.empty()) GTEST_SKIP() << refusal;
    Reading before, after;
    ASSERT_TRUE(event.read(before));
    for (int i = 0; i < 1000; ++i) test::spin();
    ASSERT_TRUE(event.read(after));
    EXPECT_GT(after.value, before.value);
    EXPECT_FALSE(PerfEvent().open(PerfKind::instructions, kNobody).empty());
}

}  // namespace
}  // namespace gimbal::pin
