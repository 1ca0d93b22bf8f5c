// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "engine/decision.hpp"
#include "gimbal/options.hpp"
#include "gimbal/rank_loop.h"
#include "gimbal/schedule.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "report/metrics.hpp"
#include "team.hpp"

namespace {

using gimbal::find_site;
using gimbal::test::execute;
using gimbal::test::loop_desc;

TEST(Site, OneForEachPlaceAndTeamSize) {
    const auto here = loop_desc(0x1, 10, 2, 0);
    const auto there = loop_desc(0x2, 10, 2, 0);
    const auto larger_team = loop_desc(0x1, 10, 4, 0);
    EXPECT_EQ(find_site(here), find_site(here));
    EXPECT_NE(find_site(here), find_site(there));
    EXPECT_NE(find_site(here), find_site(larger_team));
}

TEST(Site, InlinedCopiesOfOneSourceLineShareIt) {
    auto one = loop_desc(0x11, 10, 2, 0);
    auto copy = loop_desc(0x12, 10, 2, 0);
    one.source = copy.source = ";solver.c;sweep;42;9;;";
    EXPECT_EQ(find_site(one), find_site(copy));
    EXPECT_EQ(find_site(one)->identity().key(), "solver.c:42 sweep");
}

TEST(Site, KnowsSinceWhenThreadsAreInALoopUntilTheLastOneHasLeft) {
    const auto desc = loop_desc(0x14, 10, 2, 0);
    execute(desc);
    gimbal::LoopSite* const site = find_site(desc);
    EXPECT_EQ(site->occupied_since(), 0U);
    void* const execution = gimbal_loop_open(&desc);
    EXPECT_EQ(site->occupied_since(), 0U) << "nobody has come";
    std::array<gimbal_share, 2> shares{};
    const std::uint64_t before = gimbal::ticks();
    gimbal_loop_begin(execution, 0, &shares[0]);
    const std::uint64_t between = gimbal::ticks();
    while (gimbal::ticks() == between) {
    }
    const std::uint64_t since = site->occupied_since();
    EXPECT_GE(since, before);
    EXPECT_LE(since, between);
    gimbal_loop_begin(execution, 1, &shares[1]);
    EXPECT_EQ(site->occupied_since(), since);
    gimbal_loop_end(&shares[0]);
    EXPECT_GT(site->occupied_since(), between) << "of the one that has not left";
    gimbal_loop_end(&shares[1]);
    EXPECT_EQ(site->occupied_since(), 0U);
}

TEST(Site, ALoopInALoopHidesNeither) {
    const auto outer = loop_desc(0x15, 2, 1, 0), inner = loop_desc(0x16, 2, 1, 0);
    gimbal_share out{}, in{};
    gimbal_loop_begin(gimbal_loop_open(&outer), 0, &out);
    gimbal_loop_begin(gimbal_loop_open(&inner), 0, &in);
    EXPECT_GT(find_site(outer)->occupied_since(), 0U);
    EXPECT_GE(find_site(inner)->occupied_since(), find_site(outer)->occupied_since());
    gimbal_loop_end(&in);
    EXPECT_EQ(find_site(inner)->occupied_since(), 0U);
    EXPECT_GT(find_site(outer)->occupied_since(), 0U);
    gimbal_loop_end(&out);
}

TEST(Site, WithoutAnAddressTheTextItselfNamesTheLoop) {
    auto desc = loop_desc(0, 10, 2, 0);
    std::string heat = ";device.cpp;heat;7;0;;", again = heat, flow = ";device.cpp;flow;9;0;;";
    desc.source = heat.c_str();
    gimbal::LoopSite* const site = find_site(desc);
    EXPECT_EQ(site->identity().key(), "device.cpp:7 heat");
    desc.source = again.c_str();
    EXPECT_EQ(find_site(desc), site) << "the same text elsewhere";
    heat.swap(flow);
    desc.source = heat.c_str();
    EXPECT_EQ(find_site(desc)->identity().key(), "device.cpp:9 flow") << "another text in its place";
}

TEST(Site, AFileMayHaveSemicolonsInItsName) {
    auto desc = loop_desc(0x13, 10, 2, 0);
    desc.source = ";a;b/solver;2.c;sweep;42;9;;";
    EXPECT_EQ(find_site(desc)->identity().name, "a;b/solver;2.c:42 sweep");
}

TEST(Site, WithoutDebugInformationEachAddressIsItsOwn) {
    auto one = loop_desc(0x21, 10, 2, 0);
    auto other = loop_desc(0x22, 10, 2, 0);
    one.source = other.source = ";unknown;unknown;0;0;;";
    EXPECT_NE(find_site(one), find_site(other));
}

TEST(Site, BrokenSourcePositionsAreNoNames) {
    for (const char* source : {"", ";", ";a", ";a;b", "a;b;3;;", ";a;b;3;;", ";a;b;3;4", ";;;;", ";;;;;;"}) {
        auto desc = loop_desc(reinterpret_cast<std::uintptr_t>(source), 10, 2, 0);
        desc.source = source;
        EXPECT_TRUE(find_site(desc)->identity().name.empty()) << '"' << source << '"';
    }
}

TEST(Site, ASelectorNamedByTheScheduleChooses) {
    for (const char* name : {"random", "sarsa", "exhaustive"}) {
        const auto desc = loop_desc(0x33, 1000, 2, gimbal::intern(gimbal::parse_schedule(name)));
        for (int i = 0; i < 4; ++i) execute(desc);
        const gimbal::LoopSummary summary = find_site(desc)->summary(1e-9, 10e-9);
        std::uint64_t calls = 0;
        for (const gimbal::ScheduleUse& use : summary.schedules)
            if (use.reason == name) calls += use.calls;
        EXPECT_EQ(calls, 4U) << name;
    }
}

// The second execution of a short loop of one thread is left to the caller; on a busy machine a later one.
TEST(Site, OpeningsThatEndInLeavingTheLoopAreTimedToo) {
    auto desc = loop_desc(0x91, 10, 1, gimbal::intern(gimbal::parse_schedule("gss")));
    desc.can_leave = 1;
    double before = 0;
    void* execution = gimbal_loop_open(&desc);
    for (int step = 0; execution && step < 1000; ++step) {
        gimbal_share share{};
        gimbal_loop_begin(execution, 0, &share);
        std::uint64_t first = 0, end = 0;
        while (gimbal_loop_next(&share, &first, &end)) {
        }
        gimbal_loop_end(&share);
        before = find_site(desc)->summary(1, 0).opening_s;
        execution = gimbal_loop_open(&desc);
    }
    ASSERT_EQ(execution, nullptr);
    EXPECT_GT(find_site(desc)->summary(1, 0).opening_s, before);
}

// What ranks hear of the threads that run their chunks: a chunk too short to choose for denies nothing.
TEST(Site, ThreadsFollowRanksUnlessSomethingIsNamedForThem) {
    constexpr std::uint64_t kWhole = 1000;
    constexpr std::array<std::pair<const char*, bool>, 3> kFollows{{{"", true}, {"gss", false}, {"sarsa", false}}};
    std::uintptr_t id = 0x3a;
    for (const auto& [schedule, expected] : kFollows) {
        gimbal::SiteIdentity ranks;
        ranks.name = "ranks";
        ranks.over_ranks = true;
        gimbal::LoopSite over_ranks(std::move(ranks), 2);
        over_ranks.teams().tell();
        const gimbal_rank_chunk chunk{.first = 0, .end = 0, .trip = kWhole, .number = 0, .of = 0, .site = &over_ranks};
        const int number = *schedule ? gimbal::intern(gimbal::parse_schedule(schedule)) : 0;
        ++id;
        std::uint64_t first = 0;
        for (const std::uint64_t length : {100, 50, 1, 1, 2, 1}) {
            gimbal_rank_chunk_begin(gimbal_rank_chunk_here(), &chunk, first, first + length);
            execute(loop_desc(id, length, 2, number));
            first += length;
            if (over_ranks.teams().chunks() > 0) {
                EXPECT_EQ(over_ranks.teams().follow(), expected) << '"' << schedule << "\" at " << first;
            }
        }
        gimbal_rank_chunk_end(gimbal_rank_chunk_here());
        EXPECT_GE(over_ranks.teams().chunks(), 4U);
    }
}

TEST(Site, WhatIsReadWithoutTheLockHasTheSumsAndTheTechniques) {
    const auto desc = loop_desc(0x39, 1000, 2, gimbal::intern(gimbal::parse_schedule("gss")));
    std::atomic<bool> over = false;
    std::thread reader([&] {
        while (!over) EXPECT_LE(find_site(desc)->brief_summary(1e-9, 10e-9).calls, 200U);
    });
    for (int i = 0; i < 200; ++i) execute(desc);
    over = true;
    reader.join();
    EXPECT_GE(find_site(desc)->brief_summary(1e-9, 10e-9).calls, 200U - gimbal::kMaxRepeats)
        << "the last batch may be missing";
    const gimbal::LoopSummary whole = find_site(desc)->summary(1e-9, 10e-9);
    const gimbal::LoopSummary brief = find_site(desc)->brief_summary(1e-9, 10e-9);
    EXPECT_EQ(brief.calls, 200U);
    EXPECT_EQ(brief.iterations, 200'000U);
    ASSERT_EQ(brief.schedules.size(), 1U);
    EXPECT_EQ(brief.schedules[0].schedule, "gss");
    EXPECT_EQ(brief.schedules[0].calls, 200U);
    EXPECT_DOUBLE_EQ(brief.time_s, whole.time_s);
    EXPECT_DOUBLE_EQ(brief.busy_max_s, whole.busy_max_s);
    EXPECT_DOUBLE_EQ(brief.busy_mean_s, whole.busy_mean_s);
    EXPECT_TRUE(brief.per_worker.empty());
}

TEST(Site, TheReportHoldsWhatRanAndWhy) {
    const int gss = gimbal::intern(gimbal::parse_schedule("gss"));
    const auto named = loop_desc(0x31, 1000, 2, gss);
    const auto chosen = loop_desc(0x31, 1000, 2, gimbal::intern(gimbal::parse_schedule("fixed")));
    for (int i = 0; i < 3; ++i) execute(named);
    execute(chosen);
    const gimbal::LoopSummary summary = find_site(named)->summary(1e-9, 10e-9);
    EXPECT_EQ(summary.calls, 4U);
    EXPECT_EQ(summary.iterations, 4000U);
    ASSERT_EQ(summary.schedules.size(), 2U);
    EXPECT_EQ(summary.schedules[0].schedule, "gss");
    EXPECT_EQ(summary.schedules[0].reason, "OMP_SCHEDULE");
    EXPECT_EQ(summary.schedules[0].calls, 3U);
    EXPECT_EQ(summary.schedules[1].schedule, "fac2");
    EXPECT_EQ(summary.schedules[1].reason, "default");
    ASSERT_EQ(summary.per_worker.size(), 2U);
    EXPECT_EQ(summary.per_worker[0].iterations + summary.per_worker[1].iterations, 4000U);
    EXPECT_EQ(summary.per_worker[0].chunks + summary.per_worker[1].chunks, summary.chunks);
    EXPECT_GE(summary.busy_max_s, summary.busy_mean_s);
    EXPECT_GE(summary.time_s, summary.busy_max_s / 4);
    const double contended_s = 5 * static_cast<double>(summary.chunks) * 10e-9 / 2;
    EXPECT_DOUBLE_EQ(summary.scheduling_s, std::min(contended_s, summary.busy_mean_s));
    const gimbal::LoopSummary dear = find_site(named)->summary(1e-9, 1);
    EXPECT_DOUBLE_EQ(dear.scheduling_s, dear.busy_mean_s) << "no more than the workers were there";
    EXPECT_GE(gimbal::time_parts(dear).work_s, 0);
}

// Worker 1 comes `kLate_s` after worker 0 has begun, and worker 0 stays `kLonger_s` after worker 1 has left: by the
// clock that records are taken with, so that it holds on any machine, however loaded.
TEST(Site, EveryPartOfTheTimeIsInOneFigure) {
    constexpr double kLate_s = 5e-3, kLonger_s = 3e-3;
    constexpr int kExecutions = 3;
    const double tick_s = gimbal::rough_seconds_per_tick();
    const auto wait = [&](std::uint64_t since, double time_s) {
        while (static_cast<double>(gimbal::ticks() - since) * tick_s < time_s) std::this_thread::yield();
    };
    const auto desc = loop_desc(0x37, 100, 2, gimbal::intern(gimbal::parse_schedule("static")));
    for (int i = 0; i < kExecutions; ++i) {
        void* const execution = gimbal_loop_open(&desc);
        std::array<std::atomic<std::uint64_t>, 2> came{}, left{};
        gimbal::test::run_team(2, [&](std::uint32_t worker) {
            if (worker == 1) {
                while (came[0] == 0) std::this_thread::yield();
                wait(came[0], kLate_s);
            }
            gimbal_share share{};
            gimbal_loop_begin(execution, worker, &share);
            came[worker] = gimbal::ticks();
            std::uint64_t first = 0, end = 0;
            while (gimbal_loop_next(&share, &first, &end)) {
            }
            if (worker == 0) {
                while (left[1] == 0) std::this_thread::yield();
                wait(left[1], kLonger_s);
            }
            gimbal_loop_end(&share);
            left[worker] = gimbal::ticks();
        });
    }
    const gimbal::LoopSummary loop = find_site(desc)->summary(tick_s, 10e-9);
    const gimbal::TimeParts parts = gimbal::time_parts(loop);
    EXPECT_GE(parts.late_s, kExecutions * kLate_s / 2 * 0.999);
    EXPECT_GE(parts.waiting_s, kExecutions * kLonger_s / 2 * 0.999);
    EXPECT_GE(parts.work_s + parts.scheduling_s, kExecutions * (kLate_s + kLonger_s) / 2 * 0.999) << "worker 0's mean";
    EXPECT_GT(parts.entry_exit_s, 0);
    const double error = 1e-9 * loop.time_s;
    EXPECT_NEAR(parts.work_s + parts.scheduling_s + parts.late_s + parts.waiting_s, loop.time_s, error);
    ASSERT_EQ(loop.per_worker.size(), 2U);
    EXPECT_NEAR(loop.time_s, loop.per_worker[0].busy_s, error) << "it came first and left last";
    EXPECT_NEAR(loop.time_s, 2 * parts.late_s + loop.per_worker[1].busy_s + 2 * parts.waiting_s, error);
}

TEST(Site, ALoopThatIsDoneWhenTheLastThreadComesWasLateAllThatTime) {
    constexpr double kLate_s = 5e-3;
    const double tick_s = gimbal::rough_seconds_per_tick();
    const auto desc = loop_desc(0x38, 3, 3, gimbal::intern(gimbal::parse_schedule("ss")));
    void* const execution = gimbal_loop_open(&desc);
    std::atomic<int> done = 0;
    gimbal::test::run_team(3, [&](std::uint32_t worker) {
        if (worker == 2) {
            while (done < 2) std::this_thread::yield();
            const std::uint64_t since = gimbal::ticks();
            while (static_cast<double>(gimbal::ticks() - since) * tick_s < kLate_s) std::this_thread::yield();
        }
        gimbal_share share{};
        gimbal_loop_begin(execution, worker, &share);
        std::uint64_t first = 0, end = 0;
        while (gimbal_loop_next(&share, &first, &end)) {
        }
        gimbal_loop_end(&share);
        ++done;
    });
    const gimbal::LoopSummary loop = find_site(desc)->summary(tick_s, 10e-9);
    EXPECT_GE(gimbal::time_parts(loop).late_s + loop.busy_mean_s, kLate_s * 0.999) << "not a third of it";
}

TEST(Site, TheReportKnowsLengthsAndMedians) {
    const int gss = gimbal::intern(gimbal::parse_schedule("gss"));
    auto desc = loop_desc(0x38, 1000, 2, gss);
    execute(desc);
    gimbal::LoopSummary loop = find_site(desc)->summary(1e-9, 10e-9);
    EXPECT_NEAR(loop.schedules.at(0).median_s, loop.time_s, 1e-6 * loop.time_s);
    for (const std::uint64_t trip : {400, 700}) {
        desc.trip = trip;
        execute(desc);
    }
    loop = find_site(desc)->summary(1e-9, 10e-9);
    EXPECT_EQ(loop.shortest, 400U);
    EXPECT_EQ(loop.longest, 1000U);
    EXPECT_TRUE(gimbal::lengths_differ(loop));
    EXPECT_GT(loop.schedules.at(0).median_s, 0);
}

TEST(Site, TechniquesThatNeedStatisticsGetThemFromTheFirstExecution) {
    const int fac = gimbal::intern(gimbal::parse_schedule("fac"));
    const auto desc = loop_desc(0x41, 10000, 2, fac);
    EXPECT_FALSE(find_site(desc)->statistics().known);
    execute(desc);
    const gimbal::IterationStatistics seen = find_site(desc)->statistics();
    EXPECT_TRUE(seen.known);
    EXPECT_GT(seen.mean, 0);
    EXPECT_GE(seen.sd, 0);
    EXPECT_GT(seen.overhead, 0);
}

TEST(Site, AwfGivesTheFasterWorkerMoreInTheNextExecution) {
    const auto desc = loop_desc(0x61, 1000, 2, gimbal::intern(gimbal::parse_schedule("awf")));
    for (int execution = 0; execution < 2; ++execution) {
        void* const opened = gimbal_loop_open(&desc);
        std::array<gimbal_share, 2> shares{};
        std::array<std::uint64_t, 2> first_chunk{};
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        for (std::uint32_t worker : {0U, 1U}) {
            gimbal_loop_begin(opened, worker, &shares[worker]);
            ASSERT_EQ(gimbal_loop_next(&shares[worker], &first, &end), 1);
            first_chunk[worker] = end - first;
        }
        // Worker 0 does all the rest in no time; worker 1 takes long for its one chunk.
        while (gimbal_loop_next(&shares[0], &first, &end)) {
        }
        gimbal_loop_end(&shares[0]);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(gimbal_loop_next(&shares[1], &first, &end), 0);
        gimbal_loop_end(&shares[1]);
        if (execution == 0) {
            EXPECT_EQ(first_chunk[0], first_chunk[1]) << "nothing is known yet";
        } else {
            EXPECT_GT(first_chunk[0], 2 * first_chunk[1]);
        }
    }
}

TEST(Site, WhatWorkersDidCountsAlsoInExecutionsThatAreDroppedOrStillInFlight) {
    const auto desc = loop_desc(0x71, 100, 2, gimbal::intern(gimbal::parse_schedule("static")));
    execute(desc);
    const auto iterations_of_worker_0 = [&] { return find_site(desc)->summary(1e-9, 0).per_worker.at(0).iterations; };
    EXPECT_EQ(iterations_of_worker_0(), 50U);
    void* const execution = gimbal_loop_open(&desc);
    gimbal_share share{};
    gimbal_loop_begin(execution, 0, &share);
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    while (gimbal_loop_next(&share, &first, &end)) {
    }
    gimbal_loop_end(&share);
    EXPECT_EQ(iterations_of_worker_0(), 100U) << "in flight";
    gimbal_loop_drop(execution);
    EXPECT_EQ(iterations_of_worker_0(), 100U) << "dropped";
}

TEST(Site, StatisticsOfATinyLoopDoNotCutItIntoSingleIterations) {
    // The body is next to nothing, so what is measured is noise; drawing must stay a small part all the same.
    const auto desc = loop_desc(0x81, 100000, 2, gimbal::intern(gimbal::parse_schedule("tap")));
    for (int execution = 0; execution < 40; ++execution) {
        void* const opened = gimbal_loop_open(&desc);
        gimbal::test::run_team(2, [&](std::uint32_t worker) {
            gimbal_share share{};
            gimbal_loop_begin(opened, worker, &share);
            std::uint64_t first = 0;
            std::uint64_t end = 0;
            while (gimbal_loop_next(&share, &first, &end)) {
            }
            gimbal_loop_end(&share);
        });
    }
    EXPECT_LT(find_site(desc)->summary(1e-9, 0).chunks, 40U * 2000U);
}

TEST(Site, OneWorkerGetsTheLoopInOnePiece) {
    const int ss = gimbal::intern(gimbal::parse_schedule("ss"));
    const auto desc = loop_desc(0x51, std::uint64_t{1} << 40U, 1, ss);
    void* const execution = gimbal_loop_open(&desc);
    gimbal_share share{};
    gimbal_loop_begin(execution, 0, &share);
    std::uint64_t first = 1;
    std::uint64_t end = 0;
    ASSERT_EQ(gimbal_loop_next(&share, &first, &end), 1);
    EXPECT_EQ(first, 0U);
    EXPECT_EQ(end, std::uint64_t{1} << 40U);
    EXPECT_EQ(gimbal_loop_next(&share, &first, &end), 0);
    gimbal_loop_end(&share);
}

// Many of them may be at it at the same time, where each thread of a region calls a function that has a loop.
TEST(Site, ATeamOfOneIsLeftItsShortLoopsWhateverIsNamed) {
    constexpr int kMany = 100'000;
    const int gss = gimbal::intern(gimbal::parse_schedule("gss,8"));
    auto desc = loop_desc(0x52, 100, 1, gss);
    desc.can_leave = 1;
    desc.unit = 8;
    std::uint64_t opened = 0;
    for (int k = 0; k < kMany; ++k) {
        void* const execution = gimbal_loop_open(&desc);
        if (execution == nullptr) break;
        ++opened;
        gimbal_share share{};
        gimbal_loop_begin(execution, 0, &share);
        std::uint64_t first = 0, end = 0;
        while (gimbal_loop_next(&share, &first, &end)) {
        }
        gimbal_loop_end(&share);
    }
    EXPECT_LT(opened, static_cast<std::uint64_t>(kMany));
    const gimbal::LoopSummary all = find_site(desc)->summary(1e-9, 0);
    EXPECT_EQ(all.calls, opened + 1);
    ASSERT_EQ(all.untimed_calls, 1U);
    EXPECT_EQ(all.schedules.back().reason, "one thread: left static");
    desc.workers = 2;
    desc.code = reinterpret_cast<const void*>(0x53);
    for (int k = 0; k < 10; ++k) EXPECT_EQ(execute(desc)[99], 1U) << "two gain by a technique";
}

}  // namespace
