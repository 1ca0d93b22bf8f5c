// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lock-free queues outside any loop: every grain exactly once, for any taker. Run under the thread sanitizer,
// too
// (./dev sanitize), where the repetitions are what counts.
#include "engine/work_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "team.hpp"

namespace {

using gimbal::Plan;
using gimbal::QueueRules;
using gimbal::Range;
using gimbal::Victims;
using gimbal::WorkQueues;
using gimbal::test::run_team;

/// Queues of given sizes, one for each `per_queue` workers.
Plan plan_of(const std::vector<std::uint64_t>& sizes, std::uint32_t workers, std::uint32_t per_queue,
             const QueueRules& rules) {
    Plan plan;
    plan.workers = workers;
    plan.workers_per_queue = per_queue;
    plan.rules = rules;
    for (const std::uint64_t size : sizes) {
        plan.queues.push_back({plan.iterations, plan.iterations + size});
        plan.iterations += size;
    }
    return plan;
}

struct Kind {
    const char* name;
    QueueRules rules;
    std::uint32_t per_queue;
};

constexpr Kind kKinds[] = {
    {"OneFromNeighbours", {.take = 1, .victims = Victims::neighbours}, 1},
    {"SevenFromNeighbours", {.take = 7, .victims = Victims::neighbours}, 1},
    {"HalfFromNeighbours", {.take = 2, .steals_half = true, .victims = Victims::neighbours}, 1},
    {"HalfFromAnyone", {.take = 1, .steals_half = true, .victims = Victims::random}, 1},
    {"OneFromNearest", {.take = 3, .victims = Victims::nearest}, 1},
    {"Parts", {.take = 1, .takes_part = true, .victims = Victims::random}, 1},
    {"PartsAndHalf", {.take = 1, .takes_part = true, .steals_half = true, .victims = Victims::random}, 1},
    {"PartsOfTheBlock", {.parts = 5, .steals_half = true, .victims = Victims::neighbours}, 1},
    {"HalfWithPairs", {.take = 2, .steals_half = true, .victims = Victims::neighbours}, 2},
    {"PartsWithTriples", {.take = 1, .takes_part = true, .victims = Victims::random}, 3},
};

class EveryKind : public testing::TestWithParam<Kind> {};

// The plan stays the same from repetition to repetition, as that of a loop does; only the words are filled anew.
TEST_P(EveryKind, HandsOutEveryGrainExactlyOnceAThousandTimes) {
    constexpr int kRepetitions = 1000;
    constexpr std::uint32_t kWorkers = 4;
    const std::uint32_t queues = (kWorkers + GetParam().per_queue - 1) / GetParam().per_queue;
    std::vector<std::uint64_t> sizes(queues, 60);
    sizes[0] = 0;  // somebody steals from the start
    const Plan plan = plan_of(sizes, kWorkers, GetParam().per_queue, GetParam().rules);
    WorkQueues work;
    std::vector<std::atomic<int>> taken(plan.iterations);
    std::atomic<int> ready{0};
    std::atomic<int> done{0};
    std::atomic<int> refilled{0};
    work.prepare(plan);
    run_team(kWorkers, [&](std::uint32_t worker) {
        for (int repetition = 0; repetition < kRepetitions; ++repetition) {
            work.enter(worker, static_cast<int>(worker));
            ready.fetch_add(1);
            while (ready.load() < static_cast<int>(kWorkers) * (repetition + 1)) std::this_thread::yield();
            for (Range grains = work.draw(worker); grains.size() > 0; grains = work.draw(worker)) {
                for (std::uint64_t g = grains.first; g < grains.end; ++g) taken[g].fetch_add(1);
            }
            // The last one refills, as the one who opens the next execution does.
            if (done.fetch_add(1) + 1 == static_cast<int>(kWorkers) * (repetition + 1)) {
                work.prepare(plan);
                refilled.fetch_add(1);
            }
            while (refilled.load() <= repetition) std::this_thread::yield();
        }
    });
    EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](const auto& count) { return count == kRepetitions; }));
}

TEST_P(EveryKind, OneWorkerEmptiesAllQueuesWhenTheOthersNeverCome) {
    const std::uint32_t queues = (6 + GetParam().per_queue - 1) / GetParam().per_queue;
    const Plan plan = plan_of(std::vector<std::uint64_t>(queues, 11), 6, GetParam().per_queue, GetParam().rules);
    WorkQueues work;
    work.prepare(plan);
    work.enter(5, 0);
    std::vector<int> taken(plan.iterations);
    for (Range grains = work.draw(5); grains.size() > 0; grains = work.draw(5)) {
        for (std::uint64_t g = grains.first; g < grains.end; ++g) ++taken[g];
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<std::ptrdiff_t>(plan.iterations));
}

INSTANTIATE_TEST_SUITE_P(Queues, EveryKind, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(WorkQueues, OwnersTakeFromTheFrontAndThievesFromTheBack) {
    const Plan plan = plan_of({10, 0}, 2, 1, {.take = 3, .victims = Victims::neighbours});
    WorkQueues work;
    work.prepare(plan);
    for (const std::uint32_t worker : {0U, 1U}) work.enter(worker, -1);
    EXPECT_EQ(work.draw(0), (Range{0, 3}));
    EXPECT_EQ(work.draw(1), (Range{7, 10}));
    EXPECT_EQ(work.draw(0), (Range{3, 6}));
    EXPECT_EQ(work.draw(1), (Range{6, 7}));
    EXPECT_EQ(work.draw(0).size(), 0U);
    EXPECT_EQ(work.draw(1).size(), 0U);
}

TEST(WorkQueues, WhoStealsHalfSharesItAgain) {
    const Plan plan = plan_of({16, 0, 0}, 3, 1, {.take = 1, .steals_half = true, .victims = Victims::neighbours});
    WorkQueues work;
    work.prepare(plan);
    for (const std::uint32_t worker : {0U, 1U, 2U}) work.enter(worker, -1);
    EXPECT_EQ(work.draw(1), (Range{8, 9})) << "half is [8, 16); the first of it at once";
    EXPECT_EQ(work.draw(2), (Range{4, 5})) << "the next victim with work is worker 0, with [0, 8)";
    EXPECT_EQ(work.draw(1), (Range{9, 10})) << "the rest of its half is its own";
}

TEST(WorkQueues, ADrawMayBeOneInSoManyOfTheBlockAndAThiefDrawsAsItsVictimDoes) {
    const Plan plan = plan_of({80, 16}, 2, 1, {.parts = 8, .steals_half = true, .victims = Victims::neighbours});
    WorkQueues work;
    work.prepare(plan);
    for (const std::uint32_t worker : {0U, 1U}) work.enter(worker, -1);
    work.ask();  // nobody claims a whole block
    EXPECT_EQ(work.draw_own(0), (Range{0, 10}));
    for (std::uint64_t first = 80; first < 96; first += 2) EXPECT_EQ(work.draw_own(1), (Range{first, first + 2}));
    EXPECT_EQ(work.draw_own(1).size(), 0U) << "of its own it has no more";
    EXPECT_EQ(work.draw(1), (Range{45, 55})) << "half of [10, 80), in draws of 10 as worker 0 would";
    EXPECT_EQ(work.draw_own(1), (Range{55, 65}));
    work.prepare(plan, 2);
    EXPECT_EQ(work.draw_own(0), (Range{0, 80})) << "four of them at once, unless it is to be fine";
    work.prepare(plan, 2, true);
    for (const std::uint32_t worker : {0U, 1U}) work.enter(worker, -1);
    EXPECT_EQ(work.draw_own(0), (Range{0, 40})) << "another number of draws in this execution";
}

TEST(WorkQueues, OwnersClaimTheirBlocksUntilSomebodyAsksAndThenGiveBackTheRest) {
    const Plan plan = plan_of({80, 16}, 2, 1, {.parts = 8, .steals_half = true, .victims = Victims::neighbours});
    WorkQueues work;
    work.prepare(plan, 8, true);
    for (const std::uint32_t worker : {0U, 1U}) work.enter(worker, -1);
    EXPECT_FALSE(work.somebody_claims());
    EXPECT_EQ(work.draw_own(0), (Range{0, 10}));
    EXPECT_TRUE(work.somebody_claims());
    for (int i = 0; i < 8; ++i) EXPECT_EQ(work.draw_own(1).size(), 2U);
    EXPECT_EQ(work.draw_own(1).size(), 0U);
    EXPECT_EQ(work.draw(1).size(), 0U) << "worker 0 claims everything";
    work.ask();
    EXPECT_EQ(work.draw_own(0), (Range{10, 20}));
    EXPECT_FALSE(work.somebody_claims());
    EXPECT_EQ(work.draw(1), (Range{50, 60})) << "half of [20, 80)";
    EXPECT_EQ(work.draw_own(0), (Range{20, 30}));
    // Who leaves with a claim, since the loop was cancelled, keeps nobody waiting.
    work.prepare(plan, 8, true);
    for (const std::uint32_t worker : {0U, 1U}) work.enter(worker, -1);
    EXPECT_EQ(work.draw_own(0), (Range{0, 10}));
    work.leave(0);
    EXPECT_FALSE(work.somebody_claims());
}

// Claimed, asked for, given back, stolen: every grain exactly once.
TEST(WorkQueues, BlocksThatAreClaimedAndAskedForAreHandedOutExactlyOnce) {
    for (const std::uint32_t workers : {4U, 12U}) {
        constexpr int kRepetitions = 300;
        std::vector<std::uint64_t> sizes(workers, 40);
        sizes[1] = 3;  // the first to ask
        const Plan plan = plan_of(sizes, workers, 1, {.parts = 16, .steals_half = true});
        WorkQueues work;
        std::vector<std::atomic<int>> taken(plan.iterations);
        std::atomic<int> ready{0}, done{0}, refilled{0};
        work.prepare(plan);
        run_team(workers, [&](std::uint32_t worker) {
            for (int repetition = 0; repetition < kRepetitions; ++repetition) {
                work.enter(worker, -1);
                ready.fetch_add(1);
                while (ready.load() < static_cast<int>(workers) * (repetition + 1)) std::this_thread::yield();
                const auto run = [&](Range grains) {
                    for (std::uint64_t g = grains.first; g < grains.end; ++g) taken[g].fetch_add(1);
                    return grains.size() > 0;
                };
                while (run(work.draw_own(worker))) {
                }
                work.ask();
                while (run(work.draw(worker)) || work.somebody_claims()) {
                }
                work.leave(worker);
                if (done.fetch_add(1) + 1 == static_cast<int>(workers) * (repetition + 1)) {
                    work.prepare(plan);
                    refilled.fetch_add(1);
                }
                while (refilled.load() <= repetition) std::this_thread::yield();
            }
        });
        EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](const auto& count) { return count == kRepetitions; }))
            << workers;
    }
}

// Large teams count what is left: a queue that was refilled by a thief counts again.
TEST(WorkQueues, InALargeTeamNothingIsLeftBehindEither) {
    const Plan plan = plan_of(std::vector<std::uint64_t>(20, 9), 20, 1, {.parts = 4, .steals_half = true});
    WorkQueues work;
    for (int repetition = 0; repetition < 3; ++repetition) {
        work.prepare(plan);
        std::vector<int> taken(plan.iterations);
        // Some never come; of the others each draws in turn.
        std::uint64_t drawn = 1;
        for (std::uint32_t worker = 0; worker < 20; worker += 3) work.enter(worker, -1);
        while (drawn > 0) {
            drawn = 0;
            for (std::uint32_t worker = 0; worker < 20; worker += 3) {
                const Range grains = work.draw(worker);
                for (std::uint64_t g = grains.first; g < grains.end; ++g) ++taken[g];
                drawn += grains.size();
            }
        }
        EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<std::ptrdiff_t>(plan.iterations));
    }
}

TEST(WorkQueues, ThePartGrowsForWhoIsAheadAndShrinksForWhoFallsBehind) {
    const Plan plan = plan_of({1000, 100, 100, 100}, 4, 1, {.take = 1, .takes_part = true, .victims = Victims::random});
    WorkQueues work;
    work.prepare(plan);
    for (const std::uint32_t worker : {0U, 1U, 2U, 3U}) work.enter(worker, -1);
    EXPECT_EQ(work.draw(0).size(), 250U) << "one in P of the queue";
    EXPECT_EQ(work.draw(0).size(), 375U) << "ahead of the mean: one in P / 2";
    EXPECT_EQ(work.draw(1).size(), 25U);
    EXPECT_EQ(work.draw(1).size(), 9U) << "behind the mean: one in 2 P";
}

TEST(WorkQueues, WhoseDrawsAreAPartBringsHalfHomeAndRunsAPartOfThat) {
    const Plan plan =
        plan_of({0, 1000}, 2, 1, {.take = 1, .takes_part = true, .steals_half = true, .victims = Victims::random});
    WorkQueues work;
    work.prepare(plan);
    for (const std::uint32_t worker : {0U, 1U}) work.enter(worker, -1);
    EXPECT_EQ(work.draw(0), (Range{500, 750})) << "one in P of the stolen half";
    EXPECT_EQ(work.draw(1), (Range{0, 250})) << "one in P of what the thief has left";
    EXPECT_GE(work.draw(0).first, 750U) << "the rest lies in the thief's own queue";
}

TEST(WorkQueues, NearestMeansTheFullestOfTheNearest) {
    // Processors 0 and 1 share a cache, 2 and 3 share another; all on one node.
    const gimbal::Topology fake({{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {2, 1, 0, 0, 0}, {3, 1, 0, 0, 0}});
    gimbal::use_topology(&fake);
    const Plan plan = plan_of({0, 5, 90, 100}, 4, 1, {.take = 1, .victims = Victims::nearest});
    WorkQueues work;
    work.prepare(plan);
    for (const std::uint32_t worker : {0U, 1U, 2U, 3U}) work.enter(worker, static_cast<int>(worker));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(work.draw(0).end, 5U - static_cast<unsigned>(i) + 0U) << "worker 1's";
    EXPECT_EQ(work.draw(0), (Range{194, 195})) << "then the fullest of those behind the other cache";
    gimbal::use_topology(nullptr);
}

// Who finds the queue refilled by its mate keeps all that it stole; else it would write over what is there.
TEST(WorkQueues, MatesOfOneQueueWhoStealAtTheSameTimeLoseNothing) {
    constexpr int kRepetitions = 5000;
    const Plan plan = plan_of({0, 64}, 4, 2, {.take = 1, .steals_half = true, .victims = Victims::neighbours});
    WorkQueues work;
    work.prepare(plan);
    std::vector<std::atomic<int>> taken(plan.iterations);
    std::atomic<int> ready{0}, done{0}, refilled{0};
    const auto wait = [](const std::atomic<int>& count, int for_what) {
        for (int tries = 0; count.load() < for_what; ++tries) {
            if (tries > 1000) std::this_thread::yield();
        }
    };
    run_team(2, [&](std::uint32_t worker) {
        for (int repetition = 0; repetition < kRepetitions; ++repetition) {
            work.enter(worker, -1);
            ready.fetch_add(1);
            wait(ready, 2 * (repetition + 1));
            for (Range grains = work.draw(worker); grains.size() > 0; grains = work.draw(worker)) {
                for (std::uint64_t g = grains.first; g < grains.end; ++g) taken[g].fetch_add(1);
            }
            if (done.fetch_add(1) + 1 == 2 * (repetition + 1)) {
                work.prepare(plan);
                refilled.fetch_add(1);
            }
            wait(refilled, repetition + 1);
        }
    });
    EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](const auto& count) { return count == kRepetitions; }));
}

TEST(WorkQueues, FromAnotherNodeAThiefBringsHalfAtOnce) {
    const gimbal::Topology fake({{0, 0, 0, 0, 0}, {1, 1, 1, 1, 0}});
    gimbal::use_topology(&fake);
    const Plan plan = plan_of({0, 64}, 2, 1, {.take = 1, .victims = Victims::nearest});
    WorkQueues work;
    work.prepare(plan);
    for (const std::uint32_t worker : {0U, 1U}) work.enter(worker, static_cast<int>(worker));
    EXPECT_EQ(work.draw(0), (Range{32, 33}));
    EXPECT_EQ(work.draw(0), (Range{33, 34})) << "from its own queue now";
    gimbal::use_topology(nullptr);
}

TEST(WorkQueues, RefusedThievesAreLetInAfterAWhile) {
    Plan plan = plan_of({0, 20}, 2, 1, {.take = 1, .victims = Victims::neighbours});
    plan.admission = 1e-9;
    WorkQueues work;
    work.prepare(plan);
    work.enter(0, -1);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(work.draw(0).size(), 1U);
    EXPECT_EQ(work.draw(0).size(), 0U);
}

TEST(WorkQueues, CountUpToTheLastGrainTheyCanHold) {
    const std::uint64_t last = gimbal::kMaxGrains;
    Plan plan = plan_of({last}, 1, 1, {.take = last / 2 + 1, .victims = Victims::neighbours});
    WorkQueues work;
    work.prepare(plan);
    work.enter(0, -1);
    EXPECT_EQ(work.draw(0), (Range{0, last / 2 + 1}));
    EXPECT_EQ(work.draw(0), (Range{last / 2 + 1, last}));
    EXPECT_EQ(work.draw(0).size(), 0U);
}

}  // namespace
