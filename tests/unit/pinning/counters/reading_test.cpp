// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/reading.hpp"

#include <gtest/gtest.h>

namespace gimbal::pin {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr SpeedRules kRules{};

/// A thread that ran all the time for some seconds and made 10^9 instructions in each.
Reading at(double seconds) {
    Reading reading;
    reading.wall_ns = static_cast<std::int64_t>(seconds * 1e9) + 77 * kSecond;
    reading.cpu_time_ns = static_cast<std::int64_t>(seconds * 1e9) + 5;
    reading.value = static_cast<std::int64_t>(seconds * 1e9) + 123;
    reading.wait_ns = 0;
    reading.valid = true;
    return reading;
}

TEST(Speed, IsTheGainOverTheElapsedTime) {
    const Speed speed = speed_between(at(0), at(0.2), kRules);
    EXPECT_TRUE(speed.valid());
    EXPECT_NEAR(speed.per_s, 1e9, 1);
    EXPECT_NEAR(speed.cpu_share, 1, 1e-9);
    EXPECT_EQ(speed.wait_share, 0);
    EXPECT_NEAR(speed.elapsed_s, 0.2, 1e-9);
}

TEST(Speed, LessThanHalfAPeriodTeachesNothing) {
    EXPECT_EQ(speed_between(at(0), at(0.099), kRules).verdict, Verdict::too_short);
    EXPECT_EQ(speed_between(at(0), at(0.101), kRules).verdict, Verdict::ok);
    EXPECT_EQ(speed_between(at(1), at(1), kRules).verdict, Verdict::too_short);
    EXPECT_EQ(speed_between(at(2), at(1), kRules).verdict, Verdict::too_short);
}

TEST(Speed, ASleepingThreadIsBlocked) {
    Reading after = at(0.2);
    after.cpu_time_ns = at(0).cpu_time_ns + 1'000'000;  // 0.5 %
    after.value = at(0).value + 1000;
    EXPECT_EQ(speed_between(at(0), after, kRules).verdict, Verdict::blocked);
}

TEST(Speed, AThreadThatWaitsForAProcessorIsNotBlocked) {
    Reading after = at(0.2);
    after.cpu_time_ns = at(0).cpu_time_ns + 1'000'000;
    after.value = at(0).value + 1'000'000;
    after.wait_ns = 190'000'000;
    const Speed speed = speed_between(at(0), after, kRules);
    EXPECT_EQ(speed.verdict, Verdict::ok);
    EXPECT_NEAR(speed.wait_share, 0.95, 1e-9);
}

TEST(Speed, AThreadRunsAndWaitsForNoMoreThanTheTimeThatPassed) {
    Reading after = at(0.2);
    after.cpu_time_ns = at(0).cpu_time_ns + 160'000'000;
    after.wait_ns = 50'000'000;  // 25 %: the clocks were read one after the other
    const Speed speed = speed_between(at(0), after, kRules);
    EXPECT_NEAR(speed.cpu_share, 0.8, 1e-9);
    EXPECT_NEAR(speed.wait_share, 0.2, 1e-9);
}

TEST(Speed, UnknownWaitingSaysNothing) {
    Reading after = at(0.2);
    after.wait_ns = -1;
    EXPECT_EQ(speed_between(at(0), after, kRules).wait_share, -1);
    EXPECT_TRUE(speed_between(at(0), after, kRules).valid());
}

TEST(Speed, IsScaledUpWhereTheEventSharedItsCounter) {
    Reading before = at(0), after = at(0.2);
    after.value = before.value + 50'000'000;
    before.enabled_ns = before.running_ns = kSecond;
    after.enabled_ns = before.enabled_ns + 200'000'000;
    after.running_ns = before.running_ns + 50'000'000;
    EXPECT_NEAR(speed_between(before, after, kRules).per_s, 1e9, 1);
}

TEST(Speed, AnEventThatNeverRanIsUnknownAndNotSlow) {
    Reading before = at(0), after = at(0.2);
    after.value = before.value;
    after.enabled_ns = 200'000'000;
    EXPECT_EQ(speed_between(before, after, kRules).verdict, Verdict::unread);
}

TEST(Speed, InvalidReadingsStillTellTheShares) {
    Reading after = at(0.2);
    after.valid = false;
    const Speed speed = speed_between(at(0), after, kRules);
    EXPECT_EQ(speed.verdict, Verdict::unread);
    EXPECT_NEAR(speed.cpu_share, 1, 1e-9);
}

TEST(Speed, ACountThatComesWithItsTimeIsDividedByThat) {
    Reading before = at(0), after = at(0.2);
    before.within_ns = 50'000'000;
    after.within_ns = 90'000'000;
    after.value = before.value + 20'000'000;
    EXPECT_DOUBLE_EQ(speed_between(before, after, kRules).per_s, 0.5);
    EXPECT_TRUE(speed_between(before, after, kRules).valid());
    after.within_ns = before.within_ns;
    EXPECT_EQ(speed_between(before, after, kRules).verdict, Verdict::silent);
    EXPECT_EQ(verdict_name(Verdict::silent), "silent");
    EXPECT_EQ(verdict_name(Verdict::absurd), "absurd");
}

TEST(Speed, NonsenseIsAbsurd) {
    Reading after = at(0.2);
    after.value = at(0).value - 1;
    EXPECT_EQ(speed_between(at(0), after, kRules).verdict, Verdict::absurd);
    after.value = at(0).value + 1'000'000'000'000;
    EXPECT_EQ(speed_between(at(0), after, kRules).verdict, Verdict::absurd);
    after = at(0.2);
    after.cpu_time_ns = at(0).cpu_time_ns - 1;  // the number went to another thread
    EXPECT_EQ(speed_between(at(0), after, kRules).verdict, Verdict::absurd);
}

}  // namespace
}  // namespace gimbal::pin
