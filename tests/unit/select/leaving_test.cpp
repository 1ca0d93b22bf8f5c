// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/leaving.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

#include "base/bytes.hpp"

namespace {

using gimbal::Leaving;
using gimbal::LoopContext;
using gimbal::LoopRecord;
using gimbal::WorkerRecord;

LoopContext context_of(bool can_leave = true, double way = 0) {
    return {.iterations = 100, .workers = 2, .can_leave = can_leave, .tick_s = 1e-9, .way = way};
}

/// Two workers that end at these times, the first one coming so late [ns].
void observe(Leaving& leaving, bool with_static, std::uint64_t first, std::uint64_t second, bool can_leave = true,
             double way = 0, std::uint64_t late = 0) {
    const std::array<WorkerRecord, 2> workers = {
        WorkerRecord{.begin = late, .end = first, .chunks = 1, .iterations = 50},
        WorkerRecord{.begin = 0, .end = second, .chunks = 1, .iterations = 50}};
    const auto last = static_cast<double>(std::max(first, second));
    leaving.observe(with_static, false,
                    {.iterations = 100,
                     .loop_time = last,
                     .busy_max = last,
                     .busy_mean = static_cast<double>(first + second) / 2,
                     .chunks = 2,
                     .workers = workers},
                    context_of(can_leave, way));
}

TEST(Leaving, AShortLoopInBalanceIsLeftAfterTwoLooks) {
    Leaving leaving;
    EXPECT_FALSE(leaving.begin_look(context_of())) << "how long it is nobody knows";
    observe(leaving, false, 30000, 25000);
    EXPECT_TRUE(leaving.begin_look(context_of()));
    EXPECT_EQ(leaving.leave(1e-9), 0);
    observe(leaving, true, 30000, 29900);
    EXPECT_EQ(leaving.leave(1e-9), 0) << "one look may be luck";
    observe(leaving, true, 30000, 29900);
    EXPECT_FALSE(leaving.begin_look(context_of()));
    EXPECT_GT(leaving.leave(1e-9), 0);
}

TEST(Leaving, ALoopThatWasLeftUnseenIsLookedAtOnce) {
    LoopContext seen_short = context_of();
    seen_short.was_short = true;
    Leaving in_balance, not_at_all;
    EXPECT_TRUE(in_balance.begin_look(seen_short));
    EXPECT_EQ(in_balance.leave(1e-9), 0) << "it is to be looked at first";
    observe(in_balance, true, 30000, 29900);
    EXPECT_GT(in_balance.leave(1e-9), 0);
    EXPECT_TRUE(not_at_all.begin_look(seen_short));
    observe(not_at_all, true, 60000, 20000);
    EXPECT_EQ(not_at_all.leave(1e-9), 0);
    EXPECT_GT(Leaving::unseen_for_s(1000), Leaving::unseen_for_s(1)) << "looks are to take a small part of the time";
}

TEST(Leaving, WhoComesWhenAllIsDoneIsNotWaitedForByAnySchedule) {
    Leaving leaving;
    observe(leaving, false, 130'000, 1'000, true, 0, 129'000);
    for (int look = 0; look < 2; ++look) observe(leaving, true, 130'000, 1'000, true, 0, 129'000);
    EXPECT_GT(leaving.leave(1e-9), 0);
}

TEST(Leaving, HasToBeBalancedWhereCoresAreSharedUnlessItIsVeryShort) {
    LoopContext alone = context_of(), shared = context_of();
    shared.shared_cores = true;
    Leaving leaving, very_short;
    EXPECT_FALSE(leaving.must_be_balanced(0, shared)) << "how long it is nobody knows";
    observe(leaving, true, 30000, 29900);
    EXPECT_TRUE(leaving.must_be_balanced(0, shared));
    EXPECT_FALSE(leaving.must_be_balanced(0, alone));
    EXPECT_FALSE(leaving.must_be_balanced(5e-6, shared)) << "the look was interrupted";
    observe(very_short, true, 5000, 4900);
    EXPECT_FALSE(very_short.must_be_balanced(0, shared));
    EXPECT_FALSE(very_short.must_be_balanced(4e-3, shared)) << "that execution was interrupted";
}

TEST(Leaving, AVeryShortOneIsLeftAfterOneLookUnlessItWasWorthBalancing) {
    Leaving leaving;
    observe(leaving, false, 3000, 2500);
    observe(leaving, true, 3000, 2900);
    EXPECT_GT(leaving.leave(1e-9), 0);
    Leaving kept;
    observe(kept, false, 9000, 9000);
    for (int look = 0; look < 3; ++look) observe(kept, true, 18000, 9000);
    observe(kept, true, 18000, 18000);
    EXPECT_EQ(kept.leave(1e-9), 0);
}

TEST(Leaving, OneWithLessWorkThanTheWayInAndOutIsLeftWithoutALook) {
    Leaving leaving, longer;
    observe(leaving, false, 1500, 1300, true, 1500);
    EXPECT_FALSE(leaving.begin_look(context_of())) << "the worst that static could lose is 1.4 us";
    EXPECT_GT(leaving.leave(1e-9), 0);
    EXPECT_TRUE(leaving.begin_look(context_of())) << "later";
    observe(longer, false, 1900, 1500, true, 1500);
    EXPECT_TRUE(longer.begin_look(context_of()));
    EXPECT_EQ(longer.leave(1e-9), 0);
}

TEST(Leaving, WhileNothingChangesTheTimeDoublesUpToALimit) {
    Leaving leaving;
    observe(leaving, false, 3000, 3000);
    observe(leaving, true, 3000, 3000);
    observe(leaving, true, 3000, 3000);
    double last = leaving.leave(1e-9);
    for (int more = 0; more < 20; ++more) {
        EXPECT_TRUE(leaving.begin_look(context_of()));
        observe(leaving, true, 3000, 3000);
        const double next = leaving.leave(1e-9);
        EXPECT_TRUE(next == 2 * last || next == 1e8) << next;
        last = next;
    }
    EXPECT_EQ(last, 1e8) << "a tenth of a second";
}

TEST(Leaving, LooksAtManyLoopsTakeAThousandthOfTheTimeTogether) {
    Leaving leaving;
    observe(leaving, false, 3000, 3000);
    observe(leaving, true, 3000, 3000);
    double longest = 0;
    for (int more = 0; more < 20; ++more) {
        observe(leaving, true, 3000, 3000);
        longest = leaving.leave(1e-9, 400);
    }
    EXPECT_DOUBLE_EQ(longest, 2e9) << "400 looks of 5 us";
}

TEST(Leaving, LooksAtALoopTakeAThousandthOfItsOwnTimeWhateverLiesBetween) {
    Leaving leaving;
    observe(leaving, false, 20'000, 20'000);
    observe(leaving, true, 20'000, 20'000);
    observe(leaving, true, 20'000, 20'000);
    double longest = leaving.leave(1e-9);
    for (int more = 0; more < 20; ++more) {
        observe(leaving, true, 20'000, 20'000);
        longest = leaving.leave(1e-9, 1, 1e6);
    }
    EXPECT_DOUBLE_EQ(longest, 2.5e8) << "250 executions of 20 us, one in a millisecond, for a look of 5 us";
    observe(leaving, true, 20'000, 20'000);
    EXPECT_DOUBLE_EQ(leaving.leave(1e-9, 1, 1e8), 5e8) << "what lies between may not come again";
}

TEST(Leaving, WhatCanBeBalancedIsKept) {
    Leaving leaving;
    observe(leaving, false, 30'000, 28'000);
    for (int look = 0; look < 3; ++look) {
        EXPECT_TRUE(leaving.begin_look(context_of()));
        observe(leaving, true, 40'000, 20'000);
    }
    EXPECT_FALSE(leaving.begin_look(context_of()));
    EXPECT_EQ(leaving.leave(1e-9), 0);
    EXPECT_FALSE(leaving.static_is_good());
}

TEST(Leaving, ALittleImbalanceMakesStaticTheOneToBeat) {
    Leaving leaving;
    observe(leaving, false, 100'000, 99'000);
    for (int look = 0; look < 3; ++look) observe(leaving, true, 100'000, 90'000);
    EXPECT_EQ(leaving.leave(1e-9), 0);
    EXPECT_TRUE(leaving.static_is_good());
}

TEST(Leaving, WhereNowOneThreadIsLateAndNowAnotherStaticIsTheOneToBeat) {
    Leaving by_turns, always_the_second;
    for (const bool turned : {false, true, false}) {
        observe(by_turns, true, turned ? 70'000 : 100'000, turned ? 100'000 : 70'000);
        observe(always_the_second, true, 70'000, 100'000);
    }
    EXPECT_EQ(by_turns.leave(1e-9), 0) << "there is something to gain";
    EXPECT_TRUE(by_turns.static_is_good());
    EXPECT_FALSE(always_the_second.static_is_good());
}

TEST(Leaving, AnInterruptedLookDoesNotSayWhoIsLate) {
    // The first thread is done after 20 us, the second after 28.
    Leaving interrupted, later, came_late;
    observe(interrupted, false, 25'000, 28'000);
    observe(interrupted, true, 120'000, 28'000);
    for (int look = 0; look < 2; ++look) observe(interrupted, true, 20'000, 28'000);
    EXPECT_FALSE(interrupted.static_is_good()) << "it is always the same thread";
    observe(later, false, 25'000, 28'000);
    for (int look = 0; look < 2; ++look) observe(later, true, 20'000, 28'000);
    observe(later, true, 120'000, 28'000);
    EXPECT_FALSE(later.static_is_good());
    observe(came_late, false, 25'000, 28'000);
    observe(came_late, true, 40'000, 28'000, true, 0, 20'000);
    for (int look = 0; look < 2; ++look) observe(came_late, true, 20'000, 28'000);
    EXPECT_FALSE(came_late.static_is_good());
    // A look at which all took long, and nobody waited for long.
    Leaving slow;
    observe(slow, false, 80'000, 100'000);
    for (int look = 0; look < 2; ++look) observe(slow, true, 74'000, 100'000);
    observe(slow, true, 170'000, 196'000);
    EXPECT_FALSE(slow.static_is_good());
}

TEST(Leaving, WhatIsLeftIsNotTakenBackForOneInterruption) {
    Leaving leaving;
    observe(leaving, false, 100'000, 100'000);
    for (int look = 0; look < 2; ++look) observe(leaving, true, 100'000, 99'900);
    EXPECT_GT(leaving.leave(1e-9), 0);
    observe(leaving, true, 100'000, 60'000);
    EXPECT_TRUE(leaving.begin_look(context_of()));
}

TEST(Leaving, ALongerLengthIsNotLookedAtIfShortOnesTellWhatItTakes) {
    Leaving leaving;
    observe(leaving, false, 100'000, 100'000);
    observe(leaving, true, 100'000, 80'000);
    Leaving other = leaving.for_other_length();
    LoopContext longer = context_of();
    longer.iteration_time = 2000;
    EXPECT_TRUE(other.begin_look(longer));
    longer.iterations = 1000;
    EXPECT_FALSE(other.begin_look(longer)) << "a millisecond";
}

TEST(Leaving, AnExecutionThatTakesAsLongAsExpectedIsNoInterruption) {
    Leaving leaving;
    observe(leaving, false, 50'000, 50'000);
    const auto wants_another_look = [&](double iteration_ns) {
        Leaving other = leaving.for_other_length();
        LoopContext longer = context_of();
        longer.iteration_time = iteration_ns;
        EXPECT_TRUE(other.begin_look(longer));
        observe(other, true, 400'000, 500'000);
        return other.begin_look(longer);
    };
    EXPECT_FALSE(wants_another_look(10'000)) << "half a millisecond was expected";
    EXPECT_TRUE(wants_another_look(1000)) << "a twentieth of that";
}

TEST(Leaving, WhatIsGoodInAShortLoopSaysNothingOfOneFiveTimesAsLong) {
    const auto is_good_at = [](std::uint64_t longer_ns) {
        Leaving leaving;
        observe(leaving, false, 50'000, 50'000);
        observe(leaving, true, 42'000, 50'000);
        EXPECT_TRUE(leaving.static_is_good());
        Leaving other = leaving.for_other_length();
        EXPECT_TRUE(other.static_is_good());
        observe(other, false, longer_ns, longer_ns);
        return other.static_is_good();
    };
    EXPECT_TRUE(is_good_at(190'000));
    EXPECT_FALSE(is_good_at(250'000));
}

TEST(Leaving, ALongLoopIsNotLookedAt) {
    Leaving leaving;
    observe(leaving, false, 1'000'000, 1'000'000);
    EXPECT_FALSE(leaving.begin_look(context_of()));
    EXPECT_EQ(leaving.leave(1e-9), 0);
}

TEST(Leaving, AShortLoopWhoseFirstExecutionFoundNoDataIsLookedAt) {
    LoopContext context = context_of();
    context.iteration_time = 6000;  // of all executions so far
    Leaving cold, interrupted;
    observe(cold, false, 900'000, 880'000);
    EXPECT_FALSE(cold.begin_look(context)) << "it seems to be long";
    observe(cold, false, 30'000, 25'000);
    for (int look = 0; look < 2; ++look) {
        EXPECT_TRUE(cold.begin_look(context));
        observe(cold, true, 30'000, 29'900);
    }
    EXPECT_GT(cold.leave(1e-9), 0);
    context.iterations *= 1000;
    EXPECT_FALSE(cold.for_other_length().begin_look(context)) << "that will be long";
    for (const std::uint64_t time : {900'000U, 900'000U, 30'000U}) observe(interrupted, false, time, time - 1000);
    context.iterations /= 1000;
    EXPECT_FALSE(interrupted.begin_look(context)) << "it was long more than once";
}

TEST(Leaving, ALongLoopIsLeftOnInvitationAndNotForLong) {
    Leaving leaving;
    observe(leaving, false, 1'000'000, 1'000'000);
    leaving.invite(1e-3);
    for (int look = 0; look < 2; ++look) {
        EXPECT_TRUE(leaving.begin_look(context_of()));
        observe(leaving, true, 1'000'000, 995'000);
    }
    double longest = leaving.leave(1e-9);
    EXPECT_GT(longest, 0);
    for (int more = 0; more < 20; ++more) {
        observe(leaving, true, 1'000'000, 995'000);
        longest = leaving.leave(1e-9);
    }
    EXPECT_EQ(longest, 32e6) << "32 executions";
    observe(leaving, true, 1'000'000, 995'000);
    EXPECT_EQ(leaving.leave(1e-9, 1, 3e6), 64e6) << "it doubles at most";
    observe(leaving, true, 1'000'000, 995'000);
    EXPECT_EQ(leaving.leave(1e-9, 1, 3e6), 96e6) << "32 executions with 2 ms between them";
    for (int more = 0; more < 20; ++more) {
        observe(leaving, true, 1'000'000, 995'000);
        longest = leaving.leave(1e-9, 1, 1e9);
    }
    EXPECT_DOUBLE_EQ(longest, 0.5e9) << "a program that comes by once in a second";
    EXPECT_EQ(leaving.left_for_s(), 0.1) << "the next run may come more often";
}

TEST(Leaving, WhatDoesNotFeelItsCostIsNotInvited) {
    Leaving leaving;
    observe(leaving, false, 10'000'000, 10'000'000);
    leaving.invite(1e-2);
    EXPECT_FALSE(leaving.invited());
    EXPECT_FALSE(leaving.begin_look(context_of())) << "each look at static would cost what static loses";
}

TEST(Leaving, ALoopThatGrowsIsTakenBack) {
    Leaving leaving;
    observe(leaving, false, 3000, 3000);
    observe(leaving, true, 3000, 3000);
    observe(leaving, true, 3000, 3000);
    EXPECT_GT(leaving.leave(1e-9), 0);
    observe(leaving, true, 60'000, 30'000);
    EXPECT_EQ(leaving.leave(1e-9), 0);
    EXPECT_TRUE(leaving.begin_look(context_of())) << "it may have been an interruption";
    observe(leaving, true, 60'000, 30'000);
    observe(leaving, true, 60'000, 30'000);
    EXPECT_FALSE(leaving.begin_look(context_of()));
}

TEST(Leaving, WhoCannotRunTheLoopAloneNeverGetsIt) {
    Leaving leaving;
    for (int step = 0; step < 5; ++step) {
        observe(leaving, true, 3000, 3000, false);
        EXPECT_FALSE(leaving.begin_look(context_of(false)));
        EXPECT_EQ(leaving.leave(1e-9), 0);
    }
}

TEST(Leaving, AnotherTripCountOfALoopThatIsLeftIsLookedAtOnce) {
    Leaving leaving;
    observe(leaving, false, 3000, 3000);
    observe(leaving, true, 3000, 3000);
    observe(leaving, true, 3000, 3000);
    EXPECT_GT(leaving.leave(1e-9), 0);
    Leaving other = leaving.for_other_length();
    EXPECT_TRUE(other.begin_look(context_of()));
    observe(other, true, 9000, 9000);
    EXPECT_GT(other.leave(1e-9), 0);
}

TEST(Leaving, WhereStaticWinsTheLoopIsLeftWhateverItsThreadsWait) {
    const auto look = [](Leaving& leaving, std::uint64_t first, std::uint64_t second) {
        const std::array<WorkerRecord, 2> workers = {
            WorkerRecord{.begin = 0, .end = first, .chunks = 1, .iterations = 50},
            WorkerRecord{.begin = 0, .end = second, .chunks = 1, .iterations = 50}};
        leaving.observe(true, true, {.iterations = 100, .loop_time = static_cast<double>(first), .workers = workers},
                        context_of());
    };
    Leaving leaving;
    for (int i = 0; i < 4; ++i) observe(leaving, true, 100'000, 80'000);
    EXPECT_EQ(leaving.leave(1e-9), 0) << "a tenth of the time is waited for";
    leaving.prefer();
    look(leaving, 100'000, 80'000);
    EXPECT_GT(leaving.leave(1e-9), 0);
    look(leaving, 100'000, 78'000);
    EXPECT_GT(leaving.leave(1e-9), 0) << "hardly more than was accepted";
    for (int i = 0; i < 3; ++i) look(leaving, 100'000, 20'000);
    EXPECT_EQ(leaving.leave(1e-9), 0) << "it has to win again";
    for (int i = 0; i < 20; ++i) look(leaving, 100'000, 20'000);
    EXPECT_EQ(leaving.leave(1e-9), 0) << "what it lost since is not what was accepted";
}

TEST(Leaving, WhereStaticsThreadsWaitForMuchItHasToWinMoreThanOnce) {
    for (const std::uint64_t time : {50'000, 100'000}) {
        Leaving leaving;
        for (int i = 0; i < 4; ++i) observe(leaving, true, time, time / 5);
        leaving.prefer();
        EXPECT_EQ(leaving.leave(1e-9), 0);
        leaving.accept(true);
        leaving.prefer();
        EXPECT_EQ(leaving.leave(1e-9), 0) << "it is looked at once more";
        const std::array<WorkerRecord, 2> workers = {
            WorkerRecord{.begin = 0, .end = time, .chunks = 1, .iterations = 50},
            WorkerRecord{.begin = 0, .end = time / 5, .chunks = 1, .iterations = 50}};
        for (int i = 0; i < 2; ++i)
            leaving.observe(true, true, {.iterations = 100, .loop_time = static_cast<double>(time), .workers = workers},
                            context_of());
        EXPECT_EQ(leaving.leave(1e-9) > 0, time == 50'000) << "a longer one gains nothing by being left";
        const std::array<WorkerRecord, 2> worst = {
            WorkerRecord{.begin = 0, .end = time, .chunks = 1, .iterations = 50},
            WorkerRecord{.begin = 0, .end = 1'000, .chunks = 1, .iterations = 50}};
        for (int i = 0; i < 3; ++i)
            leaving.observe(true, true, {.iterations = 100, .loop_time = static_cast<double>(time), .workers = worst},
                            context_of());
        EXPECT_EQ(leaving.leave(1e-9), 0) << "one thread has all there is to do: that was not accepted";
    }
}

// Its input may be another one.
TEST(Leaving, WhatAnEarlierRunAcceptedIsNotStretchedBeforeALookHasConfirmedIt) {
    const auto look = [](Leaving& leaving, std::uint64_t second) {
        const std::array<WorkerRecord, 2> workers = {
            WorkerRecord{.begin = 0, .end = 50'000, .chunks = 1, .iterations = 50},
            WorkerRecord{.begin = 0, .end = second, .chunks = 1, .iterations = 50}};
        leaving.observe(true, true, {.iterations = 100, .loop_time = 50'000, .workers = workers}, context_of());
    };
    Leaving earlier;
    for (int i = 0; i < 4; ++i) observe(earlier, true, 50'000, 40'000);
    earlier.prefer();
    look(earlier, 40'000);
    ASSERT_GT(earlier.leave(1e-9), 0);
    gimbal::ByteWriter kept;
    earlier.save(kept);
    const auto left_again = [&](std::initializer_list<std::uint64_t> seconds) {
        gimbal::ByteReader from(kept.bytes());
        Leaving leaving;
        leaving.restore(from);
        for (const std::uint64_t second : seconds) look(leaving, second);
        return leaving.leave(1e-9) > 0;
    };
    EXPECT_TRUE(left_again({40'000}));
    EXPECT_FALSE(left_again({32'000})) << "nearly twice as much is waited for";
    EXPECT_TRUE(left_again({40'000, 32'000})) << "it was confirmed";
    // What was accepted in a short loop is too much in one three times as long.
    gimbal::ByteWriter of_short;
    for (int i = 0; i < 4; ++i) look(earlier, 10'000);
    earlier.accept(true);
    earlier.prefer();
    earlier.save(of_short);
    gimbal::ByteReader from(of_short.bytes());
    Leaving longer;
    longer.restore(from);
    const std::array<WorkerRecord, 2> workers = {
        WorkerRecord{.begin = 0, .end = 150'000, .chunks = 1, .iterations = 50},
        WorkerRecord{.begin = 0, .end = 30'000, .chunks = 1, .iterations = 50}};
    longer.observe(true, true, {.iterations = 100, .loop_time = 150'000, .workers = workers}, context_of());
    EXPECT_EQ(longer.leave(1e-9), 0);
}

TEST(Leaving, WhatIsTooLongToBeLeftSavesNothingByThat) {
    Leaving leaving;
    EXPECT_GT(leaving.saved_by_leaving(150'000, context_of(true, 1000)), 0);
    EXPECT_EQ(leaving.saved_by_leaving(250'000, context_of(true, 1000)), 0);
    leaving.invite(250e-6);
    EXPECT_GT(leaving.saved_by_leaving(250'000, context_of(true, 1000)), 0);
}

// An interruption makes one thread late; where all work for so long the loop has become another one.
TEST(Leaving, AShortLoopThatBecomesALongOneIsLookedAtOnce) {
    const auto left_after_one_of = [](std::uint64_t first, std::uint64_t second) {
        Leaving leaving;
        observe(leaving, false, 30000, 30000);
        observe(leaving, true, 30000, 30000);
        observe(leaving, true, 30000, 30000);
        EXPECT_GT(leaving.leave(1e-9), 0);
        observe(leaving, true, first, second);
        return leaving.begin_look(context_of());
    };
    EXPECT_FALSE(left_after_one_of(90'000'000, 20'000'000)) << "static does not run again";
    EXPECT_TRUE(left_after_one_of(9'000'000, 30'000));
}

/// Look after it was left, and until it is left again. @return for how long [ticks]; 0: it is not
double look(Leaving& leaving, bool loses) {
    observe(leaving, true, 30000, loses ? 2000 : 29900);
    double left = leaving.leave(1e-9);
    for (int more = 0; left == 0 && more < 3; ++more) {
        observe(leaving, true, 30000, 29900);
        left = leaving.leave(1e-9);
    }
    return left;
}

TEST(Leaving, ALoopThatLosesMuchInFewExecutionsIsNotLeftUntilSomethingElseWasTried) {
    Leaving leaving, interrupted;
    look(leaving, false);
    look(interrupted, false);
    int looks = 0;
    for (bool left = true; left && looks < 100; ++looks) left = look(leaving, looks % 4 == 3) > 0;
    EXPECT_TRUE(leaving.doubts());
    EXPECT_GE(looks, 6);
    EXPECT_LE(looks, 12) << "two or three of them lost something";
    EXPECT_EQ(look(leaving, false), 0);
    leaving.trust();
    EXPECT_GT(look(leaving, false), 0);

    for (int k = 0; k < 300; ++k) look(interrupted, k % 40 == 39);
    EXPECT_FALSE(interrupted.doubts());
}

TEST(Leaving, WhereLooksLoseMuchTheyComeSoon) {
    Leaving leaving;
    double left = 0;
    for (int k = 0; k < 20; ++k) left = look(leaving, false);
    EXPECT_NEAR(left, 0.1e9, 1) << "ticks";
    left = look(leaving, true);
    EXPECT_NEAR(left, 0.05e9, 1) << "it may have been an interruption";

    Leaving loses;
    for (const bool bad : {false, false, true, false, false, true, false, false, false}) left = look(loses, bad);
    EXPECT_NEAR(left, 0.01e9, 1);
    for (int k = 0; k < 200; ++k) left = look(loses, false);
    EXPECT_NEAR(left, 0.1e9, 1);
}

}  // namespace
