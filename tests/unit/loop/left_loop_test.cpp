// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/left_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "loop/known_loops.hpp"
#include "team.hpp"

namespace {

using gimbal::LeftLoop;
using gimbal::Request;

/// An execution of the loop of that number in a region of its own.
gimbal_loop_desc desc_of(std::uintptr_t code, std::uint64_t moment, std::uint64_t trip = 100) {
    gimbal_loop_desc desc = gimbal::test::loop_desc(code, trip, 2, 1);
    desc.can_leave = 1;
    desc.team = reinterpret_cast<const void*>(&desc_of);
    desc.region = reinterpret_cast<const void*>(code);
    desc.moment = moment;
    desc.apart = 7;
    return desc;
}

Request request_of(const gimbal_loop_desc& desc) {
    Request request;
    request.trip = desc.trip;
    request.can_leave = true;
    request.caller = &desc;
    request.schedule_number = desc.schedule;
    return request;
}

constexpr std::uint64_t kRegion = std::uint64_t{1} << 32U;
constexpr double kLong = 1e15;  // [ticks]

class LeftLoopTest : public ::testing::Test {
protected:
    void SetUp() override { gimbal::forget_left_loops(); }
    gimbal_known_table* table_ = gimbal_known_loops();
};

TEST_F(LeftLoopTest, LaterExecutionsAreLeftAndNoEarlierOnes) {
    LeftLoop left;
    const gimbal_loop_desc now = desc_of(0x1000, 5 * kRegion + 1);
    EXPECT_EQ(gimbal_known_find(table_, &now), nullptr);
    left.leave(request_of(now), kLong);
    EXPECT_EQ(gimbal_known_find(table_, &now), nullptr) << "others of the team are in this one";
    const gimbal_loop_desc later = desc_of(0x1000, 6 * kRegion + 1);
    EXPECT_NE(gimbal_known_find(table_, &later), nullptr);
}

TEST_F(LeftLoopTest, OtherLoopsTeamsLengthsAndSchedulesAreNot) {
    LeftLoop left;
    const gimbal_loop_desc now = desc_of(0x2000, 5 * kRegion + 2);
    left.leave(request_of(now), kLong);
    gimbal_loop_desc other = desc_of(0x2000, 6 * kRegion + 2);
    ASSERT_NE(gimbal_known_find(table_, &other), nullptr);
    other.trip = 1000;
    EXPECT_EQ(gimbal_known_find(table_, &other), nullptr);
    other = desc_of(0x2000, 6 * kRegion + 3);
    EXPECT_EQ(gimbal_known_find(table_, &other), nullptr);
    other = desc_of(0x2040, 6 * kRegion + 2);
    EXPECT_EQ(gimbal_known_find(table_, &other), nullptr);
    other = desc_of(0x2000, 6 * kRegion + 2);
    other.schedule = 2;
    EXPECT_EQ(gimbal_known_find(table_, &other), nullptr);
    other = desc_of(0x2000, 6 * kRegion + 2);
    other.unit = 8;
    EXPECT_EQ(gimbal_known_find(table_, &other), nullptr);
    other = desc_of(0x2000, 6 * kRegion + 2);
    other.team = &other;
    EXPECT_EQ(gimbal_known_find(table_, &other), nullptr);
}

TEST_F(LeftLoopTest, WhenItsTimeIsOverItEndsFurtherAheadThanWorkersAreApart) {
    LeftLoop left;
    const gimbal_loop_desc now = desc_of(0x3000, 5 * kRegion + 1);
    left.leave(request_of(now), 0);  // over at once
    const gimbal_loop_desc later = desc_of(0x3000, 6 * kRegion + 1);
    gimbal_known_loop* const found = gimbal_known_find(table_, &later);
    ASSERT_NE(found, nullptr);
    gimbal_left_count(table_, found, &later);
    EXPECT_NE(gimbal_known_find(table_, &later), nullptr) << "for those that are yet to come to this execution";
    const gimbal_loop_desc next_region = desc_of(0x3000, 7 * kRegion + 1);
    EXPECT_EQ(gimbal_known_find(table_, &next_region), nullptr);
    EXPECT_EQ(left.calls(), 2U);
    EXPECT_EQ(left.iterations(), 200U);
}

TEST_F(LeftLoopTest, TheClockIsSeldomAskedWhileTimeIsFarAwayAndAlwaysWhenItIsNear) {
    LeftLoop left;
    const gimbal_loop_desc now = desc_of(0x6000, 5 * kRegion + 1);
    left.leave(request_of(now), kLong);
    gimbal_loop_desc later = desc_of(0x6000, 6 * kRegion + 1);
    gimbal_known_loop* const found = gimbal_known_find(table_, &later);
    ASSERT_NE(found, nullptr);
    gimbal_left_counts& counts = *found->counts;
    counts.looked = gimbal_known_now(table_);
    gimbal_left_count(table_, found, &later);
    EXPECT_EQ(counts.look, counts.calls + 16);
    const std::uint64_t looked = counts.looked;
    for (int more = 0; more < 15; ++more) gimbal_left_count(table_, found, &later);
    EXPECT_EQ(counts.looked, looked);
    gimbal_left_count(table_, found, &later);
    EXPECT_GT(counts.looked, looked);
    // The last look is as long ago as the end is ahead.
    counts.look = 0;
    counts.looked = gimbal_known_now(table_) / 2;
    found->until = gimbal_known_now(table_) + counts.looked;
    gimbal_left_count(table_, found, &later);
    EXPECT_EQ(counts.look, counts.calls + 1);
    found->until = gimbal_known_now(table_);
    gimbal_left_count(table_, found, &later);
    later.moment += kRegion;
    EXPECT_EQ(gimbal_known_find(table_, &later), nullptr);
}

TEST_F(LeftLoopTest, ANumberThatIsNowOneLoopsAndNowAnothersIsGivenUp) {
    LeftLoop left;
    const gimbal_loop_desc now = desc_of(0x4000, 5 * kRegion + 1);
    left.leave(request_of(now), kLong);
    gimbal_loop_desc other = desc_of(0x4000, 6 * kRegion + 1);
    other.code = &other;
    gimbal_known_loop* const found = gimbal_known_find(table_, &other);
    ASSERT_NE(found, nullptr) << "the team's workers may come from different addresses";
    gimbal_left_count(table_, found, &other);
    const gimbal_loop_desc later = desc_of(0x4000, 7 * kRegion + 1);
    EXPECT_EQ(gimbal_known_find(table_, &later), nullptr);
    EXPECT_TRUE(left.holds(request_of(later))) << "the site still knows; its workers must ask";
    const gimbal_loop_desc last = desc_of(0x4000, 8 * kRegion + 1);
    EXPECT_EQ(gimbal_known_find(table_, &last), nullptr) << "for good";
}

// A function that a region calls twice: one source line, one site, two places.
TEST_F(LeftLoopTest, CopiesOfOneLoopInOneRegionAreLeftEachAtItsOwnPlace) {
    LeftLoop left;
    const auto copy = [](std::uint64_t region, std::uint64_t number) {
        gimbal_loop_desc desc = desc_of(0xa000, region * kRegion + number);
        desc.code = reinterpret_cast<const void*>(0xa000 + 0x60 * number);
        return desc;
    };
    for (const std::uint64_t number : {1U, 2U}) left.leave(request_of(copy(5, number)), kLong);
    for (std::uint64_t region = 6; region < 9; ++region) {
        for (const std::uint64_t number : {1U, 2U}) {
            const gimbal_loop_desc now = copy(region, number);
            gimbal_known_loop* const known = gimbal_known_find(table_, &now);
            ASSERT_NE(known, nullptr) << region << ' ' << number;
            gimbal_left_count(table_, known, &now);
        }
    }
}

// One region of two hundred loops, each run once: nothing comes round.
TEST_F(LeftLoopTest, HundredsOfLoopsOfOneRegionAreFoundByTheirNumber) {
    constexpr std::uint64_t kLoops = 200;
    std::deque<LeftLoop> left(kLoops);
    const auto loop = [](std::uint64_t region, std::uint64_t number) {
        gimbal_loop_desc desc = desc_of(0x9000, region * kRegion + number);
        desc.code = reinterpret_cast<const void*>(0x9000 + number);
        return desc;
    };
    for (std::uint64_t k = 0; k < kLoops; ++k) left[k].leave(request_of(loop(5, k + 1)), kLong);
    std::uint64_t found = 0;
    for (std::uint64_t region = 6; region < 9; ++region) {
        for (std::uint64_t k = 0; k < kLoops; ++k) {
            const gimbal_loop_desc now = loop(region, k + 1);
            gimbal_known_loop* const known = gimbal_known_find(table_, &now);
            if (known == nullptr) continue;
            ++found;
            EXPECT_EQ(known->code, gimbal_known_code(&now));
            gimbal_left_count(table_, known, &now);
        }
    }
    EXPECT_EQ(found, 3 * kLoops);
    const gimbal_loop_desc any = loop(5, 1);
    EXPECT_EQ(gimbal_known_place(table_, &any, 0, 0)->to, 0U) << "no period";
}

// One region runs three loops again and again: after the first 64 the second one is found by where it is in the round.
TEST_F(LeftLoopTest, LoopsThatComeRoundInOneRegionAreFoundByTheirPeriod) {
    LeftLoop left;
    const auto second = [](std::uint64_t round) { return desc_of(0x7000, 5 * kRegion + 3 * round + 2); };
    std::uint64_t found_from = 0;
    for (std::uint64_t round = 0; round < 60; ++round) {
        const gimbal_loop_desc now = second(round);
        if (gimbal_known_find(table_, &now)) {
            found_from = found_from ? found_from : round;
        } else {
            EXPECT_EQ(found_from == 0 || round < 40, true) << round;
            left.leave(request_of(now), kLong);
        }
    }
    EXPECT_GT(found_from, 0U);
    for (std::uint64_t round = 100; round < 120; ++round) {
        const gimbal_loop_desc now = second(round);
        gimbal_known_loop* const found = gimbal_known_find(table_, &now);
        ASSERT_NE(found, nullptr) << round;
        gimbal_loop_desc neighbour = now;
        ++neighbour.moment;
        EXPECT_EQ(gimbal_known_find(table_, &neighbour), nullptr) << "another loop";
        neighbour.moment = now.moment + 9;
        EXPECT_EQ(gimbal_known_find(table_, &neighbour), found) << "9 is more than workers are apart";
    }
    const gimbal_loop_desc again = desc_of(0x7000, 6 * kRegion + 3 * 30 + 2);
    EXPECT_NE(gimbal_known_find(table_, &again), nullptr) << "in the next region, too";
}

// Where libomp is given so many dispatch buffers that a round is shorter, several count as one, or none is known.
TEST_F(LeftLoopTest, APeriodIsLongerThanWorkersAreApart) {
    for (const std::uint32_t apart : {7U, 40U, 4000U}) {
        gimbal::forget_left_loops();
        LeftLoop left;
        gimbal_loop_desc desc = desc_of(0x8000, 5 * kRegion + 70);
        desc.apart = apart;
        for (int round = 0; round < 10; ++round, desc.moment += 5) left.leave(request_of(desc), kLong);
        const gimbal_known_loop* const period = gimbal_known_place(table_, &desc, 0, 0);
        if (apart < gimbal::kLongestPeriod) {
            EXPECT_GT(period->trip, apart);
            EXPECT_EQ(period->trip % 5, 0U);
        } else {
            EXPECT_EQ(period->to, 0U);
        }
    }
}

// Each in a region of its own, as compilers lay them out. Places are taken for good, so their number is what counts.
TEST_F(LeftLoopTest, AThousandLoopsAreFoundEachByItsTeam) {
    constexpr std::uintptr_t kLoops = 1000;
    std::deque<LeftLoop> left;
    const auto loop = [](std::uintptr_t i, std::uint64_t region) {
        return desc_of(0x401000 + 0x60 * i, region * kRegion + 1);
    };
    for (std::uintptr_t i = 0; i < kLoops; ++i) left.emplace_back().leave(request_of(loop(i, 5 + i)), kLong);
    std::uintptr_t found = 0;
    for (std::uintptr_t i = 0; i < kLoops; ++i) {
        const gimbal_loop_desc later = loop(i, 5000 + i);
        const gimbal_known_loop* const known = gimbal_known_find(table_, &later);
        if (known == nullptr) continue;
        ++found;
        EXPECT_EQ(known->code, gimbal_known_code(&later));
        gimbal_loop_desc of_another_team = later;
        of_another_team.team = &found;
        EXPECT_EQ(gimbal_known_find(table_, &of_another_team), nullptr);
    }
    EXPECT_GT(found, kLoops * 95 / 100);
    gimbal::forget_left_loops();
    for (std::uintptr_t i = 0; i < kLoops; ++i) {
        const gimbal_loop_desc later = loop(i, 5000 + i);
        EXPECT_EQ(gimbal_known_find(table_, &later), nullptr);
    }
}

// Threads of a parallel region that each run it as a team of one: none is counted twice or lost.
TEST_F(LeftLoopTest, TeamsOfOneCountBesideEachOther) {
    constexpr std::uint64_t kCalls = 10'000;
    constexpr std::uint32_t kThreads = 8;
    LeftLoop left;
    gimbal_loop_desc desc = desc_of(0x6000, 1);
    desc.team = nullptr;
    desc.workers = 1;
    left.leave(request_of(desc), kLong);
    gimbal::test::run_team(kThreads, [&](std::uint32_t) {
        for (std::uint64_t k = 0; k < kCalls; ++k) EXPECT_TRUE(left.holds(request_of(desc)));
    });
    EXPECT_EQ(left.calls(), kThreads * kCalls + 1);
    EXPECT_EQ(left.iterations(), left.calls() * desc.trip);
    EXPECT_EQ(gimbal::count_left_loops(), 1U);
}

// A processor that has slept, or another one on which the process goes on.
TEST_F(LeftLoopTest, ACounterThatGoesBackEndsIt) {
    LeftLoop left;
    const gimbal_loop_desc now = desc_of(0x6100, 5 * kRegion + 1);
    left.leave(request_of(now), kLong);
    gimbal_loop_desc later = desc_of(0x6100, 6 * kRegion + 1);
    gimbal_known_loop* const found = gimbal_known_find(table_, &later);
    ASSERT_NE(found, nullptr);
    found->counts->look = 0;
    found->counts->looked = gimbal_known_now(table_) + static_cast<std::uint64_t>(kLong);
    gimbal_left_count(table_, found, &later);
    later.moment += kRegion;
    EXPECT_EQ(gimbal_known_find(table_, &later), nullptr);
}

TEST(LoopsLeft, ThoseThatNoLongerComeAreForgotten) {
    constexpr std::uint64_t kEpoch = 1000;
    gimbal::LoopsLeft loops;
    std::array<std::uint32_t, 100> of_set_up{};
    std::array<std::uint32_t, 3> of_solver{};
    std::uint64_t now = 10'000;
    for (std::uint32_t& loop : of_set_up) loops.note(loop, now, 2000, kEpoch);
    EXPECT_EQ(loops.count(), 100U);
    for (std::uint32_t& loop : of_set_up) loops.note(loop, now + 10, 2000, kEpoch);
    EXPECT_EQ(loops.count(), 100U) << "they were left again";
    std::uint32_t least = 100;
    for (int turn = 0; turn < 20; ++turn) {
        now += kEpoch;
        for (std::uint32_t& loop : of_solver) loops.note(loop, now, 500, kEpoch);
        if (turn < 3) {
            EXPECT_GE(loops.count(), 100U) << "some may be left still";
        }
        least = std::min(least, loops.count());
    }
    EXPECT_EQ(loops.count(), 3U);
    EXPECT_EQ(least, 3U);
    loops.forget(of_solver.front());
    EXPECT_LE(loops.count(), 3U);
    loops.forget_all();
    EXPECT_EQ(loops.count(), 0U);
    loops.forget(of_solver.back());
    EXPECT_EQ(loops.count(), 0U) << "it was forgotten before";
}

TEST_F(LeftLoopTest, ExecutionsAreAsFarApartAsWhatLiesBetweenMakesThem) {
    LeftLoop left;
    gimbal_loop_desc desc = desc_of(0x7000, 1);
    desc.team = nullptr;
    const Request request = request_of(desc);
    EXPECT_EQ(left.apart(5), 0) << "it was not left";
    const std::uint64_t begin = gimbal::known_now();
    left.leave(request, kLong, 5);
    const std::uint64_t after = gimbal::known_now();
    EXPECT_TRUE(left.holds(request));
    const double of_two = left.apart(5);
    EXPECT_LE(of_two, static_cast<double>(gimbal::known_now() - begin) / 2);
    while (gimbal::known_now() - after < 1'000'000) {
    }
    const double of_four = left.apart(7);
    EXPECT_GE(of_four, 250'000) << "two were left, and two were opened";
    EXPECT_LE(of_four, static_cast<double>(gimbal::known_now() - begin) / 4);
}

TEST_F(LeftLoopTest, ATeamThatDoesNotLookIsLeftItsLoopsAllTheSame) {
    LeftLoop left;
    gimbal_loop_desc desc = desc_of(0x5000, 1);
    desc.team = nullptr;
    const Request request = request_of(desc);
    EXPECT_FALSE(left.holds(request));
    left.leave(request, kLong);
    EXPECT_TRUE(left.holds(request));
    EXPECT_EQ(left.calls(), 2U);
}

}  // namespace
