// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions drawn by real threads: every iteration exactly once, whatever the technique. Run under the thread
// sanitizer, too (./dev sanitize).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "gimbal/technique.hpp"
#include "lending/node_cores.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "report/metrics.hpp"
#include "team.hpp"

namespace {

using gimbal::test::execute;
using gimbal::test::loop_desc;

class EveryTechnique : public testing::TestWithParam<const gimbal::Technique*> {};

TEST_P(EveryTechnique, RunsEveryIterationExactlyOnceOnRealThreads) {
    std::uintptr_t id = 0x10000 + 0x1000 * static_cast<std::uintptr_t>(GetParam() - gimbal::techniques()[0]);
    for (const std::uint64_t chunk : {0U, 3U}) {
        const int schedule = gimbal::intern({{GetParam(), chunk}});
        for (const std::uint32_t workers : {1U, 2U, 3U, 8U}) {
            for (const std::uint64_t trip : {0U, 1U, 2U, 7U, 1000U, 10007U}) {
                const gimbal_loop_desc desc = loop_desc(++id, trip, workers, schedule);
                // Several executions: the later ones use statistics and claim widths learnt in the earlier ones.
                for (int repetition = 0; repetition < 3; ++repetition) {
                    const auto ran = execute(desc);
                    EXPECT_TRUE(std::all_of(ran.begin(), ran.end(), [](auto count) { return count == 1; }))
                        << "N=" << trip << " P=" << workers << " chunk=" << chunk << " repetition " << repetition;
                }
            }
        }
    }
}

bool each_ran_once(const std::vector<std::uint32_t>& ran) {
    return std::all_of(ran.begin(), ran.end(), [](auto count) { return count == 1; });
}

TEST_P(EveryTechnique, RunsEveryIterationExactlyOnceBesideASlowThread) {
    const int schedule = gimbal::intern({{GetParam(), 0}});
    const gimbal_loop_desc desc = loop_desc(0xD00000 + static_cast<std::uintptr_t>(schedule), 2000, 3, schedule);
    const auto slow = [](std::uint32_t worker) {
        if (worker == 1) std::this_thread::sleep_for(std::chrono::microseconds(200));
    };
    for (int repetition = 0; repetition < 4; ++repetition) EXPECT_TRUE(each_ran_once(execute(desc, slow)));
}

// Teams lose threads and get them back; each size is a site of its own, and N may be less than P.
TEST_P(EveryTechnique, RunsEveryIterationExactlyOnceWhileThreadsComeAndGo) {
    const int schedule = gimbal::intern({{GetParam(), 0}});
    for (const std::uint32_t workers : {8U, 3U, 1U, 8U, 2U, 5U, 3U}) {
        for (const std::uint64_t trip : {4096U, 5U, 300U}) {
            const auto id = 0xE00000 + static_cast<std::uintptr_t>(schedule);
            EXPECT_TRUE(each_ran_once(execute(loop_desc(id, trip, workers, schedule)))) << workers << ' ' << trip;
        }
    }
}

// Programs take lastprivate variables from the thread that ran the last iteration, as it left them.
TEST_P(EveryTechnique, WhoRunsTheLastIterationRunsNothingAfterIt) {
    const int schedule = gimbal::intern({{GetParam(), 0}});
    for (int repetition = 0; repetition < 30; ++repetition) {
        const gimbal_loop_desc desc = loop_desc(0xF00000 + static_cast<std::uintptr_t>(schedule), 500, 3, schedule);
        void* const execution = gimbal_loop_open(&desc);
        std::array<std::uint64_t, 3> last_end{};
        std::array<bool, 3> had_the_end{};
        gimbal::test::run_team(3, [&](std::uint32_t worker) {
            gimbal_share share{};
            gimbal_loop_begin(execution, worker, &share);
            std::uint64_t first = 0;
            std::uint64_t end = 0;
            // The second worker, say, comes late: the others finish its part.
            if (worker == 1) std::this_thread::sleep_for(std::chrono::microseconds(100));
            while (share.fast ? gimbal_share_next(&share, &first, &end) : gimbal_loop_next(&share, &first, &end)) {
                last_end[worker] = end;
                had_the_end[worker] = had_the_end[worker] || end == desc.trip;
            }
            gimbal_loop_end(&share);
        });
        for (std::size_t worker = 0; worker < 3; ++worker) {
            if (had_the_end[worker]) {
                EXPECT_EQ(last_end[worker], desc.trip) << "worker " << worker;
            }
        }
        EXPECT_EQ(std::count(had_the_end.begin(), had_the_end.end(), true), 1);
    }
}

TEST_P(EveryTechnique, KeepsChunksMultiplesOfTheUnit) {
    const int schedule = gimbal::intern({{GetParam(), 0}});
    gimbal_loop_desc desc = loop_desc(0x900000 + static_cast<std::uintptr_t>(schedule), 1003, 3, schedule);
    desc.unit = 8;
    void* const execution = gimbal_loop_open(&desc);
    std::array<gimbal_share, 3> shares{};
    for (std::uint32_t i = 0; i < 3; ++i) gimbal_loop_begin(execution, i, &shares[i]);
    std::uint64_t covered = 0;
    for (gimbal_share& share : shares) {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        while (gimbal_loop_next(&share, &first, &end)) {
            EXPECT_EQ(first % 8, 0U);
            EXPECT_TRUE(end % 8 == 0 || end == 1003) << end;
            covered += end - first;
        }
    }
    EXPECT_EQ(covered, 1003U);
    for (gimbal_share& share : shares) gimbal_loop_end(&share);
}

std::string name_of(const testing::TestParamInfo<const gimbal::Technique*>& info) {
    std::string name(info.param->info().name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryTechnique, testing::ValuesIn(gimbal::techniques()), name_of);

// The iterations that worker 1 of two can have while worker 0 draws nothing, of a loop whose profile is known.
std::uint64_t left_to_one(std::uintptr_t id, bool monotonic) {
    const int schedule = gimbal::intern({{gimbal::find_technique("feedback"), 0}});
    gimbal_loop_desc desc = loop_desc(id, 4000, 2, schedule);
    desc.monotonic = monotonic;
    const auto work = [](std::uint32_t) { std::this_thread::sleep_for(std::chrono::microseconds(1)); };
    for (int repetition = 0; repetition < 3; ++repetition) EXPECT_TRUE(each_ran_once(execute(desc, work)));
    void* const execution = gimbal_loop_open(&desc);
    std::array<gimbal_share, 2> shares{};
    for (std::uint32_t i = 0; i < 2; ++i) gimbal_loop_begin(execution, i, &shares[i]);
    std::array<std::uint64_t, 2> drawn{};
    for (std::uint32_t i : {1U, 0U}) {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        std::uint64_t before = 0;
        while (gimbal_loop_next(&shares[i], &first, &end)) {
            EXPECT_TRUE(!monotonic || first >= before);
            before = end;
            drawn[i] += end - first;
        }
    }
    EXPECT_EQ(drawn[0] + drawn[1], 4000U);
    for (gimbal_share& share : shares) gimbal_loop_end(&share);
    return drawn[1];
}

TEST(Execution, FeedbacksBlocksAreStolenFromWhereChunksNeedNotAscend) {
    EXPECT_EQ(left_to_one(0xA10000, false), 4000U);
    EXPECT_LT(left_to_one(0xA20000, true), 4000U);
}

// Chunks last long enough that blocks are worth stealing from; some threads come late, others are slow.
TEST(Execution, ALargeTeamStealsFeedbacksBlocksExactlyOnceAndTheLastIterationComesLast) {
    const int schedule = gimbal::intern({{gimbal::find_technique("feedback"), 0}});
    constexpr std::uint32_t kWorkers = 24;
    for (const std::uint64_t trip : {40U, 5000U}) {
        const gimbal_loop_desc desc = loop_desc(0xA30000, trip, kWorkers, schedule);
        for (std::uint32_t repetition = 0; repetition < 8; ++repetition) {
            std::vector<std::atomic<std::uint32_t>> ran(trip);
            std::array<std::uint64_t, kWorkers> last_end{};
            std::array<bool, kWorkers> had_the_end{};
            void* const execution = gimbal_loop_open(&desc);
            gimbal::test::run_team(kWorkers, [&](std::uint32_t worker) {
                const bool slow = worker % 5 == repetition % 5;
                if (worker % 7 == 3) std::this_thread::sleep_for(std::chrono::microseconds(300));
                gimbal_share share{};
                gimbal_loop_begin(execution, worker, &share);
                std::uint64_t first = 0;
                std::uint64_t end = 0;
                while (share.fast ? gimbal_share_next(&share, &first, &end) : gimbal_loop_next(&share, &first, &end)) {
                    for (std::uint64_t i = first; i < end; ++i) ran[i].fetch_add(1, std::memory_order_relaxed);
                    last_end[worker] = end;
                    had_the_end[worker] = had_the_end[worker] || end == trip;
                    std::this_thread::sleep_for(std::chrono::microseconds(slow ? 100 : 10));
                }
                gimbal_loop_end(&share);
            });
            EXPECT_TRUE(std::all_of(ran.begin(), ran.end(), [](const auto& count) { return count == 1; }))
                << trip << ' ' << repetition;
            for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
                EXPECT_TRUE(!had_the_end[worker] || last_end[worker] == trip) << trip << ' ' << repetition;
            }
        }
    }
}

TEST(Execution, TwoOfTheSameLoopInFlightDoNotDisturbEachOther) {
    const int schedule = gimbal::intern({{gimbal::find_technique("ss"), 0}});
    const gimbal_loop_desc desc = loop_desc(0xA00000, 100, 1, schedule);
    void* const one = gimbal_loop_open(&desc);
    void* const two = gimbal_loop_open(&desc);
    ASSERT_NE(one, two);
    for (void* const execution : {one, two}) {
        gimbal_share share{};
        gimbal_loop_begin(execution, 0, &share);
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        std::uint64_t covered = 0;
        while (gimbal_loop_next(&share, &first, &end)) covered += end - first;
        EXPECT_EQ(covered, 100U);
        EXPECT_EQ(gimbal_loop_end(&share), 1);
    }
}

TEST(Execution, OnlyTheLastWorkerToLeaveClosesIt) {
    const gimbal_loop_desc desc = loop_desc(0xB00000, 10, 2, 0);
    void* const execution = gimbal_loop_open(&desc);
    std::array<gimbal_share, 2> shares{};
    for (std::uint32_t i = 0; i < 2; ++i) gimbal_loop_begin(execution, i, &shares[i]);
    EXPECT_EQ(gimbal_loop_end(&shares[1]), 0);
    EXPECT_EQ(shares[1].execution, nullptr);
    EXPECT_EQ(gimbal_loop_end(&shares[0]), 1);
}

TEST(Execution, AHostMayCountWhoHasLeft) {
    const gimbal_loop_desc desc = loop_desc(0xB80000, 10, 2, 0);
    void* const execution = gimbal_loop_open(&desc);
    std::array<gimbal_share, 2> shares{};
    for (std::uint32_t i = 0; i < 2; ++i) gimbal_loop_begin(execution, i, &shares[i]);
    for (gimbal_share& share : shares) {
        std::uint64_t first = 0, end = 0;
        while (gimbal_loop_next(&share, &first, &end)) continue;
        gimbal_loop_leave(&share);
        EXPECT_EQ(share.execution, nullptr);
        EXPECT_EQ(gimbal::find_site(desc)->calls(), 0U);
    }
    gimbal_loop_close(execution);
    const gimbal::LoopSummary loop = gimbal::find_site(desc)->summary(1e-9, 0);
    EXPECT_EQ(loop.calls, 1U);
    EXPECT_EQ(loop.iterations, 10U);
}

TEST(Execution, ADroppedOneTeachesNothing) {
    const gimbal_loop_desc desc = loop_desc(0xC00000, 10, 2, 0);
    gimbal_loop_drop(gimbal_loop_open(&desc));
    EXPECT_EQ(gimbal::find_site(desc)->summary(1e-9, 0).calls, 0U);
}

// It sleeps until nobody has rung for a second, before it takes a chunk.
TEST(Execution, ASurplusWorkerWithoutACoreKeepsErrno) {
    alignas(128) static std::array<std::byte, 2 * gimbal::NodeCores::kSlotBytes> node;
    ASSERT_TRUE(gimbal::node_cores().attach(node.data(), node.size(), 0, 2, 1));
    auto desc = loop_desc(0x73, 100, 1, gimbal::intern(gimbal::parse_schedule("runtime")));
    desc.surplus = 1;
    void* const execution = gimbal_loop_open(&desc);
    ASSERT_NE(execution, nullptr);
    std::array<gimbal_share, 2> shares{};
    std::uint64_t first = 0, end = 0;
    gimbal_loop_begin(execution, 1, &shares[1]);
    errno = EDOM;
    EXPECT_EQ(gimbal_loop_next(&shares[1], &first, &end), 1);
    EXPECT_EQ(errno, EDOM);
    gimbal_loop_begin(execution, 0, &shares[0]);
    for (gimbal_share& share : shares) {
        while (gimbal_loop_next(&share, &first, &end)) continue;
        gimbal_loop_end(&share);
    }
    gimbal::node_cores().detach();
}

TEST(Execution, WhatWorkersDidStaysWhereMoreAndMoreOfThemCome) {
    auto desc = loop_desc(0x72, 100, 2, gimbal::intern(gimbal::parse_schedule("runtime")));
    for (; desc.surplus < 3; ++desc.surplus) {
        void* const execution = gimbal_loop_open(&desc);
        for (std::uint32_t worker = 0; worker < desc.workers + desc.surplus; ++worker) {
            gimbal_share share{};
            gimbal_loop_begin(execution, worker, &share);
            std::uint64_t first = 0, end = 0;
            while (gimbal_loop_next(&share, &first, &end)) {
            }
            gimbal_loop_end(&share);
        }
    }
    gimbal::test::expect_sums(desc, 3, 300);
}

}  // namespace
