// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <vector>

#include "engine/decision.hpp"
#include "gimbal/schedule.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "team.hpp"

namespace {

using gimbal::find_site;
using gimbal::test::expect_sums;
using gimbal::test::loop_desc;

// Executions of one thread that plays all workers: short, so what opens and closes them counts.
class SteadySite : public ::testing::Test {
protected:
    static gimbal_loop_desc loop(std::uintptr_t id, const char* schedule, std::uint64_t trip = 64) {
        return loop_desc(id, trip, 2, gimbal::intern(gimbal::parse_schedule(schedule)));
    }
    static void* open(const gimbal_loop_desc& desc) { return gimbal_loop_open(&desc); }
    /// @return the first worker's first chunk [iterations]
    static std::uint64_t finish(void* execution, std::uint64_t trip) {
        std::array<gimbal_share, 2> shares{};
        std::uint64_t first_chunk = 0;
        std::vector<int> ran(trip, 0);
        for (std::uint32_t worker = 0; worker < 2; ++worker) gimbal_loop_begin(execution, worker, &shares[worker]);
        for (gimbal_share& share : shares) {
            std::uint64_t first = 0, end = 0;
            while (gimbal_loop_next(&share, &first, &end)) {
                for (std::uint64_t i = first; i < end; ++i) ++ran[i];
                if (first_chunk == 0) first_chunk = end - first;
            }
        }
        for (gimbal_share& share : shares) gimbal_loop_end(&share);
        EXPECT_EQ(ran, std::vector<int>(trip, 1));
        return first_chunk;
    }
    static std::uint64_t run(const gimbal_loop_desc& desc) { return finish(open(desc), desc.trip); }
    /// One of a team's workers. @param ran  [N] how often each iteration was run
    static void play(void* execution, std::uint32_t worker, std::vector<std::atomic<int>>& ran) {
        gimbal_share share{};
        gimbal_loop_begin(execution, worker, &share);
        std::uint64_t first = 0, end = 0;
        while (share.fast ? gimbal_share_next(&share, &first, &end) : gimbal_loop_next(&share, &first, &end))
            for (std::uint64_t k = first; k < end; ++k) ran[k].fetch_add(1, std::memory_order_relaxed);
        gimbal_loop_end(&share);
    }
    /// Executions that have not been learnt from, of so many; the last one waits for the next to be opened.
    static std::uint64_t behind(const gimbal_loop_desc& desc, std::uint64_t count) {
        return count - find_site(desc)->brief_summary(1e-9, 0).calls;
    }
    /// Until several executions of the loop have not been learnt from. @return executions
    static std::uint64_t run_until_behind(const gimbal_loop_desc& desc) {
        constexpr std::uint64_t kMax = 100'000;
        std::uint64_t count = 0;
        while (count < kMax && behind(desc, count) < 2) {
            run(desc);
            ++count;
        }
        EXPECT_LT(count, kMax) << "every execution was learnt from by itself";
        return count;
    }
};

TEST_F(SteadySite, IsLearntFromInBatchesAndNothingIsLost) {
    std::uintptr_t id = 0x400;
    for (const char* schedule :
         {"static", "ss,3", "fac2", "gss,5", "fsc", "wf2", "awf-b", "af", "static-steal", "lws"}) {
        const auto desc = loop(++id, schedule);
        std::uint64_t count = run_until_behind(desc);
        for (int more = 0; more < 20; ++more, ++count) {
            expect_sums(desc, count, count * desc.trip);
            run(desc);
        }
    }
}

// Once it tries nothing for a while. Blocks that may be stolen from are filled anew each time.
TEST_F(SteadySite, ASelectorThatHasSettledLearnsInBatches) {
    const auto desc = loop(0x430, "auto", 500);
    std::uint64_t count = run_until_behind(desc);
    std::uint64_t often = 0;
    for (int more = 0; more < 300; ++more) {
        run(desc);
        often += behind(desc, ++count) > 1 ? 1 : 0;
    }
    EXPECT_GT(often, 100U);
    expect_sums(desc, count, count * desc.trip);
    EXPECT_EQ(find_site(desc)->summary(1e-9, 0).schedules.front().reason, "auto");
}

// A team that runs a loop again and again, as a program does: what is filled anew between two executions is seen by
// all.
TEST_F(SteadySite, TeamsRunEveryIterationOnceInBatches) {
    constexpr std::uint32_t kWorkers = 3;
    constexpr std::uint64_t kTrip = 300;
    constexpr int kExecutions = 400;
    std::uintptr_t id = 0x440;
    for (const char* schedule : {"auto", "feedback", "static-steal", "fac2"}) {
        const auto desc = loop_desc(++id, kTrip, kWorkers, gimbal::intern(gimbal::parse_schedule(schedule)));
        std::vector<std::atomic<int>> ran(kTrip);
        void* execution = nullptr;
        std::barrier sync(kWorkers);
        gimbal::test::run_team(kWorkers, [&](std::uint32_t worker) {
            for (int i = 0; i < kExecutions; ++i) {
                if (worker == 0) execution = open(desc);
                sync.arrive_and_wait();
                play(execution, worker, ran);
                sync.arrive_and_wait();
            }
        });
        for (const std::atomic<int>& times : ran) ASSERT_EQ(times.load(), kExecutions) << schedule;
        expect_sums(desc, kExecutions, kExecutions * kTrip);
    }
}

// All workers wait for the one that opens an execution; the first to leave it waits for the others anyway.
TEST_F(SteadySite, WhereTheLengthChangesTheFirstToLeaveLearnsFromTheExecutionBefore) {
    const auto shorter = loop(0x460, "fac2", 40);
    const auto longer = loop(0x460, "fac2", 100);
    std::uint64_t count = 0, iterations = 0;
    const auto played = [&](const gimbal_loop_desc& desc) {
        ++count;
        iterations += desc.trip;
    };
    for (int i = 0; i < 5; ++i)
        for (const auto& desc : {shorter, longer}) {
            run(desc);
            played(desc);
        }
    for (int i = 0; i < 30; ++i) {
        const gimbal_loop_desc& desc = i % 2 == 0 ? shorter : longer;
        void* const execution = open(desc);
        EXPECT_EQ(behind(desc, count), 1U) << "not while it is opened";
        std::array<gimbal_share, 2> shares{};
        std::uint64_t first = 0, end = 0;
        for (std::uint32_t worker = 0; worker < 2; ++worker) gimbal_loop_begin(execution, worker, &shares[worker]);
        for (gimbal_share& share : shares)
            while (gimbal_loop_next(&share, &first, &end)) {
            }
        if (i % 3 == 2) {
            EXPECT_EQ(find_site(desc)->summary(1e-9, 0).iterations, iterations) << "a report in between";
        }
        gimbal_loop_end(&shares[1]);
        EXPECT_EQ(behind(desc, count), 0U) << "the other one is still inside";
        gimbal_loop_end(&shares[0]);
        played(desc);
    }
    expect_sums(shorter, count, iterations);
}

TEST_F(SteadySite, TeamsRunEveryIterationOnceWhereTheLengthChanges) {
    constexpr std::uint32_t kWorkers = 3;
    constexpr std::uint64_t kLongest = 300;
    constexpr int kExecutions = 400;
    std::uintptr_t id = 0x470;
    for (const char* schedule : {"auto", "feedback", "static-steal", "fac2", "awf"}) {
        auto desc = loop_desc(++id, kLongest, kWorkers, gimbal::intern(gimbal::parse_schedule(schedule)));
        std::vector<std::atomic<int>> ran(kLongest);
        std::vector<int> expected(kLongest, 0);
        void* execution = nullptr;
        std::barrier sync(kWorkers);
        gimbal::test::run_team(kWorkers, [&](std::uint32_t worker) {
            for (int i = 0; i < kExecutions; ++i) {
                if (worker == 0) {
                    desc.trip = kLongest - static_cast<std::uint64_t>(i) * 37 % kLongest;
                    for (std::uint64_t k = 0; k < desc.trip; ++k) ++expected[k];
                    execution = open(desc);
                }
                sync.arrive_and_wait();
                play(execution, worker, ran);
                sync.arrive_and_wait();
            }
        });
        std::uint64_t iterations = 0;
        for (std::uint64_t k = 0; k < kLongest; ++k) {
            ASSERT_EQ(ran[k].load(), expected[k]) << schedule;
            iterations += static_cast<std::uint64_t>(expected[k]);
        }
        expect_sums(desc, kExecutions, iterations);
    }
}

TEST_F(SteadySite, AnotherRequestIsServedAsItAsks) {
    const auto first = loop(0x421, "fac2");
    const auto longer = loop(0x421, "fac2", 100);
    const auto other = loop(0x421, "gss");
    std::uint64_t count = run_until_behind(first);
    std::uint64_t iterations = count * first.trip;
    for (int i = 0; i < 30; ++i) {
        for (const auto& desc : {longer, first, other, other, first, first}) {
            run(desc);
            ++count;
            iterations += desc.trip;
        }
    }
    expect_sums(first, count, iterations);
}

TEST_F(SteadySite, SeveralInFlightAtOnceAreApart) {
    const auto desc = loop(0x422, "gss");
    std::uint64_t count = run_until_behind(desc);
    for (int i = 0; i < 30; ++i) {
        std::array<void*, 3> open_ones{open(desc), open(desc), open(desc)};
        EXPECT_NE(open_ones[0], open_ones[1]);
        EXPECT_NE(open_ones[1], open_ones[2]);
        finish(open_ones[i % 3], desc.trip);
        finish(open_ones[(i + 1) % 3], desc.trip);
        void* const again = open(desc);
        finish(open_ones[(i + 2) % 3], desc.trip);
        finish(again, desc.trip);
        count += 4;
    }
    expect_sums(desc, count, count * desc.trip);
}

TEST_F(SteadySite, WhatIsSetMeanwhileHoldsForTheNextExecution) {
    const auto desc = loop(0x423, "lws");
    run_until_behind(desc);
    find_site(desc)->set_static_fraction(0.25);
    EXPECT_EQ(find_site(desc)->static_fraction(), 0.25);
    run(desc);
    EXPECT_EQ(find_site(desc)->summary(1e-9, 0).static_fraction, 0.25);
}

// By what is handed out. The execution in flight would be repeated as it is.
TEST_F(SteadySite, WhatIsSetWhileOneIsInFlightHoldsForTheNextExecution) {
    const auto desc = loop(0x425, "lws");
    find_site(desc)->set_static_fraction(0.25);
    run_until_behind(desc);
    ASSERT_EQ(run(desc), desc.trip / 8);
    for (const double fraction : {1.0, 0.5, 0.25}) {
        void* const in_flight = open(desc);
        find_site(desc)->set_static_fraction(fraction);
        finish(in_flight, desc.trip);
        EXPECT_EQ(static_cast<double>(run(desc)), fraction * static_cast<double>(desc.trip) / 2);
        for (int more = 0; more < 40; ++more) run(desc);
    }
}

TEST_F(SteadySite, OneThatIsGivenUpTakesNothingWithIt) {
    const auto desc = loop(0x424, "fac2");
    const std::uint64_t count = run_until_behind(desc);
    gimbal_loop_drop(open(desc));
    expect_sums(desc, count, count * desc.trip);
    run(desc);
    expect_sums(desc, count + 1, (count + 1) * desc.trip);
}

// Learning from one execution takes longer than an execution here.
TEST_F(SteadySite, VeryShortLoopsAreLearntFromInLargeBatches) {
    constexpr std::uint64_t kExecutions = 400;
    const auto desc = loop(0x4B0, "static");
    std::uint64_t most_behind = 0;
    for (std::uint64_t count = 1; count <= kExecutions; ++count) {
        run(desc);
        most_behind = std::max(most_behind, behind(desc, count));
    }
    EXPECT_GT(most_behind, 8U);
    EXPECT_LE(most_behind, gimbal::kMaxRepeats);
    expect_sums(desc, kExecutions, kExecutions * desc.trip);
}

}  // namespace
