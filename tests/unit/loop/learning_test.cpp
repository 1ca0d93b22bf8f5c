// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/learning.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <vector>

#include "measure/placement.hpp"
#include "select/agent.hpp"
#include "select/portfolio.hpp"

namespace {

using namespace gimbal;

constexpr std::uint64_t kIterations = 1000;

std::vector<WorkerSlot> slots_of(std::uint64_t time) {
    std::vector<WorkerSlot> slots(2);
    for (WorkerSlot& slot : slots) slot.record = {.begin = 0, .end = time, .chunks = 1, .iterations = kIterations / 2};
    return slots;
}

Opening open(LoopLearning& loop, std::string_view selector = {}) {
    return loop.open({.trip = kIterations, .selector = selector});
}

StepRow close(LoopLearning& loop, const Opening& opening, std::uint64_t time) {
    StepRow step;
    const std::vector<WorkerSlot> slots = slots_of(time);
    loop.close({opening.config, opening.decision, *opening.plan, slots}, {}, &step);
    return step;
}

TEST(LoopLearning, WhatASelectorDecidedTeachesNoOtherOne) {
    static constexpr std::string_view kFirst = "sarsa";
    static constexpr std::string_view kSecond = "q";
    LoopLearning loop("loop", 2);
    const Opening early = open(loop, kFirst);
    const Opening late = open(loop, kSecond);  // while the first is still in flight
    EXPECT_FALSE(close(loop, early, 1000).thought) << "sarsa's step is none of q's";
    const StepRow learnt = close(loop, late, 2000);
    ASSERT_TRUE(learnt.thought);
    EXPECT_EQ(learnt.thought->step, 1U);
    EXPECT_EQ(loop.totals().calls, 2U);
}

/// What an execution under a schedule cost to draw, if it was all chunks of one iteration.
double draws_of(std::string_view technique, std::uint32_t workers) {
    LoopLearning loop("loop", workers);
    const Opening opening =
        loop.open({.trip = kIterations, .schedule = {.technique = find_technique(technique), .chunk = 1}});
    std::vector<WorkerSlot> slots(workers);
    for (WorkerSlot& slot : slots) slot.record = {.begin = 0, .end = 100, .chunks = kIterations / workers};
    loop.close({opening.config, opening.decision, *opening.plan, slots}, {}, nullptr);
    return loop.totals().draws;
}

TEST(LoopLearning, ADrawFromWhatOthersWriteToCostsSeveral) {
    EXPECT_DOUBLE_EQ(draws_of("ss", 2), LoopClock().contention * kIterations);
    EXPECT_DOUBLE_EQ(draws_of("static-steal", 2), LoopClock().contention * kIterations);
    EXPECT_DOUBLE_EQ(draws_of("static", 2), kIterations) << "own steps";
    EXPECT_DOUBLE_EQ(draws_of("ss", 1), kIterations) << "nobody else is there";
}

TEST(LoopLearning, ExecutionsAtTheSameTimePassOnce) {
    LoopLearning loop("loop", 2);
    const auto run = [&](std::uint64_t begin, std::uint64_t end) {
        const Opening opening = loop.open({.trip = kIterations, .schedule = {.technique = find_technique("static")}});
        std::vector<WorkerSlot> slots(2);
        for (WorkerSlot& slot : slots) slot.record = {.begin = begin, .end = end, .chunks = 1, .iterations = 500};
        loop.close({opening.config, opening.decision, *opening.plan, slots}, {}, nullptr);
    };
    run(1000, 2000);
    run(1100, 1900);  // beside it
    run(1500, 2500);
    run(4000, 5000);
    EXPECT_DOUBLE_EQ(loop.totals().loop_time, 3800);
    EXPECT_DOUBLE_EQ(loop.totals().passed, 2500);
}

TEST(LoopLearning, RandomChunksAreThoseOfTheLoopAndTheSameInEachRun) {
    const auto starts_of = [](const char* name) {
        LoopLearning loop(name, 2);
        return loop.open({.trip = kIterations, .schedule = {.technique = find_technique("rnd")}}).plan->starts;
    };
    EXPECT_EQ(starts_of("loop"), starts_of("loop"));
    EXPECT_NE(starts_of("loop"), starts_of("another loop"));
}

TEST(LoopLearning, ALoopThatNeedsAscendingChunksGetsNoTechniqueThatSteals) {
    LoopLearning loop("loop", 2);
    const Schedule steals{.technique = find_technique("static-steal")};
    ASSERT_TRUE(steals.technique);
    EXPECT_EQ(loop.open({.trip = kIterations, .schedule = steals}).decision.schedule.technique, steals.technique);
    EXPECT_EQ(loop.totals().fallbacks, 0U);
    const Opening ascending = loop.open({.trip = kIterations, .monotonic = true, .schedule = steals});
    EXPECT_EQ(ascending.decision.schedule.technique->info().name, "fac2");
    EXPECT_EQ(loop.totals().fallbacks, 1U) << "and the report says so";
}

/// Executions of a team of one that were opened before the loop was left; at most 20.
int opened_alone(double time_s, bool crowded) {
    LoopLearning loop("loop", 1);
    const Schedule gss{.technique = find_technique("gss")};
    const auto time = static_cast<std::uint64_t>(time_s / LoopClock().tick_s());
    for (int opened = 0; opened < 20; ++opened) {
        const Opening opening =
            loop.open({.trip = kIterations, .can_leave = true, .schedule = gss, .crowded = crowded});
        if (opening.decision.left_for > 0) return opened;
        std::vector<WorkerSlot> slots(1);
        slots[0].record = {.begin = 0, .end = time, .chunks = 1, .iterations = kIterations};
        loop.close({opening.config, opening.decision, *opening.plan, slots});
    }
    return 20;
}

TEST(LoopLearning, ATeamOfOneIsLeftShortLoopsAndLongerOnesThatOthersOpenToo) {
    EXPECT_EQ(opened_alone(10e-6, false), 1);
    EXPECT_EQ(opened_alone(100e-6, false), 2);
    EXPECT_EQ(opened_alone(1e-3, false), 20);
    EXPECT_LE(opened_alone(1e-3, true), 4);
    EXPECT_EQ(opened_alone(10e-3, true), 20) << "one that does not feel it";
}

TEST(LoopLearning, StepsThatAnAgentDoesNotLearnFromHaveNoThought) {
    learn::Parameters parameters;
    parameters.steps_limit = 3;
    LoopLearning loop("loop", 2, {},
                      std::make_unique<AgentSelector>(
                          PortfolioSelector::Setup{.portfolio = seed_portfolio(), .reason = "q", .skips_first = false},
                          parameters, 1));
    for (int step = 0; step < 6; ++step) {
        const Opening opening = open(loop);
        EXPECT_EQ(close(loop, opening, 1000).thought.has_value(), step < 3) << step;
    }
}

/// The choices of `times` executions of N iterations.
Opening run(LoopLearning& loop, std::uint64_t iterations, std::string_view selector) {
    Opening opening = loop.open({.trip = iterations, .selector = selector});
    std::vector<WorkerSlot> slots(2);
    for (WorkerSlot& slot : slots)
        slot.record = {.begin = 0, .end = iterations, .chunks = 1, .iterations = iterations / 2};
    for (WorkerSlot& slot : slots) {
        if (opening.config.sampled) slot.begin_costs(iterations, 2);
        if (opening.config.timed) slot.begin_times();
    }
    loop.close({opening.config, opening.decision, *opening.plan, slots});
    return opening;
}

TEST(LoopLearning, TripCountsThatDifferAreLearntApart) {
    static constexpr std::string_view kSelector = "exhaustive";
    LoopLearning loop("loop", 2);
    const Opening first = run(loop, 1000, kSelector);
    for (int step = 0; step < 3; ++step) (void)run(loop, 1000, kSelector);
    const Opening other = run(loop, 100'000, kSelector);
    EXPECT_EQ(other.decision.schedule.technique, first.decision.schedule.technique) << "its search begins anew";
    const Opening near = run(loop, 1200, kSelector);
    EXPECT_NE(near.decision.schedule.technique, first.decision.schedule.technique) << "that of the near one goes on";
    EXPECT_EQ(loop.totals().calls, 6U);
    EXPECT_EQ(loop.totals().iterations, 4 * 1000U + 100'000U + 1200U);
}

TEST(LoopLearning, ManyTripCountsAreServedByTheNearest) {
    LoopLearning loop("loop", 2);
    for (std::uint64_t n = 2; n < (std::uint64_t{1} << 40U); n *= 2) (void)run(loop, n, "auto");
    EXPECT_EQ(loop.totals().calls, 39U);
}

/// Two lengths of a short loop, of as many bits, in turn: what is left to the caller is left for both. One is in
/// balance.
class TwoLengths {
public:
    TwoLengths() : loop_("loop", 2, clock()) { loop_.note_way(1000, 1000); }

    /// @param late_ns  what static's second block takes longer in the second length  @return how often that was run
    /// here
    int run(int turns, std::uint64_t late_ns) {
        int here = 0;
        for (int k = 0; k < turns; ++k) {
            (void)run_one(1100, 0);
            here += run_one(1900, late_ns) ? 1 : 0;
        }
        return here;
    }

    bool run_one(std::uint64_t n, std::uint64_t late_ns) {
        constexpr std::uint64_t kTime_ns = 30'000;
        now_ns_ += static_cast<double>(kTime_ns + late_ns + 1000);
        if (now_ns_ < left_until_ns_) return false;
        const Opening opening = loop_.open({.trip = n, .can_leave = true, .selector = "auto", .left_loops = 1});
        if (!opening.plan) {
            left_until_ns_ = now_ns_ + opening.decision.left_for;
            return false;
        }
        std::vector<WorkerSlot> slots(2);
        for (std::size_t i = 0; i < 2; ++i) {
            const bool blocks = opening.decision.schedule.technique->info().name == "static";
            const std::uint64_t time = kTime_ns + (!blocks ? late_ns / 2 : i == 1 ? late_ns : 0);
            slots[i].record = {.begin = 0, .end = time, .chunks = 1, .iterations = n / 2};
            if (opening.config.timed) slots[i].begin_times();
            if (!opening.config.sampled) continue;
            slots[i].begin_costs(n, 2);
            slots[i].costs->add({i * n / 2, (i + 1) * n / 2}, static_cast<double>(time));
        }
        loop_.close({opening.config, opening.decision, *opening.plan, slots});
        return true;
    }

private:
    static LoopClock clock() {
        LoopClock clock;
        clock.tick_s = []() noexcept { return 1e-9; };
        clock.dispatch = []() noexcept { return 10.0; };
        return clock;
    }

    LoopLearning loop_;
    double now_ns_ = 1e9;
    double left_until_ns_ = 0;
};

TEST(LoopLearning, ATripCountIsNotLeftTogetherWithOneThatIsWorthBalancing) {
    TwoLengths loop;
    loop.run(200, 60'000);
    EXPECT_EQ(loop.run(200, 60'000), 200);
    TwoLengths balanced;
    balanced.run(200, 0);
    EXPECT_LT(balanced.run(200, 0), 20);
    int here = 0;
    for (int k = 0; k < 1000; ++k) here += loop.run_one(1100, 0) ? 1 : 0;
    EXPECT_LT(here, 200) << "the other one does not come any more";
}

/// Runs iterations [first, first + n) of a loop over ranks, as a chunk that took `time`.
Opening run_part(LoopLearning& loop, std::uint64_t first, std::uint64_t n, std::uint64_t time,
                 std::string_view selector) {
    const RankPart part{.first = first, .whole = 100'000};
    Opening opening = loop.open({.trip = n, .selector = selector, .part = part});
    std::vector<WorkerSlot> slots(2);
    for (WorkerSlot& slot : slots) slot.record = {.begin = 0, .end = time, .chunks = 1, .iterations = n / 2};
    for (std::size_t i = 0; i < 2; ++i) {
        if (opening.config.timed) slots[i].begin_times();
        if (!opening.config.sampled) continue;
        slots[i].begin_costs(n, 2);
        slots[i].costs->add({i * n / 2, (i + 1) * n / 2}, static_cast<double>(time));
    }
    loop.close({opening.config, opening.decision, *opening.plan, slots, part});
    return opening;
}

TEST(LoopLearning, ChunksOfRanksAreLearntAboutByTheirPowerOfTwoAndApartFromTheWholeLoop) {
    static constexpr std::string_view kSelector = "exhaustive";
    LoopLearning loop("loop", 2);
    const Opening whole = run(loop, 1000, kSelector);
    const Opening part = run_part(loop, 0, 1000, 1000, kSelector);
    EXPECT_EQ(part.decision.schedule.technique, whole.decision.schedule.technique) << "its search begins anew";
    for (int step = 0; step < 3; ++step) (void)run_part(loop, 0, 1000, 1000, kSelector);
    const Opening other_place = run_part(loop, 50'000, 600, 600, kSelector);
    EXPECT_NE(other_place.decision.schedule.technique, part.decision.schedule.technique) << "the same class goes on";
    const Opening other_class = run_part(loop, 50'000, 100, 100, kSelector);
    EXPECT_EQ(other_class.decision.schedule.technique, part.decision.schedule.technique) << "another begins anew";
}

/// Explores every other execution, and counts what it learns.
class Alternating final : public Selector {
public:
    explicit Alternating(int* learnt) : learnt_(learnt) {}
    Decision choose(const LoopContext&) override {
        Decision decision{{find_technique(++chosen_ % 2 == 1 ? "fac2" : "gss")}, "test"};
        decision.exploring = chosen_ % 2 == 0;
        return decision;
    }
    void learn(const Decision&, const LoopRecord&, const LoopContext&) override { ++*learnt_; }

private:
    int* learnt_;
    int chosen_ = 0;
};

TEST(LoopLearning, NothingIsLearntFromTwoExecutionsAfterThreadsWereMoved) {
    int learnt = 0;
    LoopLearning loop("loop", 2, {}, std::make_unique<Alternating>(&learnt));
    const auto step = [&loop](std::uint64_t moves) {
        loop.note_moves(moves);
        (void)close(loop, open(loop), 1000);
    };
    step(0);
    EXPECT_EQ(learnt, 1);
    step(3);
    step(3);
    EXPECT_EQ(learnt, 1);
    step(3);
    EXPECT_EQ(learnt, 2);
    EXPECT_EQ(loop.totals().calls, 4U) << "the report has them all";
    for (std::uint64_t moves = 4; moves < 304; ++moves) step(moves);
    EXPECT_EQ(learnt, 102) << "where threads never rest every third execution counts";
}

/// Remembers what an iteration is said to take.
class Listening final : public Selector {
public:
    explicit Listening(double* iteration_time) : iteration_time_(iteration_time) {}
    Decision choose(const LoopContext& context) override {
        *iteration_time_ = context.iteration_time;
        return {{find_technique("fac2")}, "test"};
    }
    void learn(const Decision&, const LoopRecord&, const LoopContext&) override {}

private:
    double* iteration_time_;
};

// The sizes of chunks go by it.
TEST(LoopLearning, CostsThatChangeAreFollowedHoweverLongTheLoopHasRun) {
    constexpr std::uint64_t kDear = 1'000'000, kCheap = 1000;  // loop time [ticks]
    double heard = 0;
    LoopLearning loop("loop", 2, {}, std::make_unique<Listening>(&heard));
    for (int step = 0; step < 5000; ++step) (void)close(loop, open(loop), kDear);
    EXPECT_NEAR(heard, 2.0 * kDear / kIterations, 1e-6 * kDear);
    for (int step = 0; step < 1000; ++step) (void)close(loop, open(loop), kCheap);
    EXPECT_NEAR(heard, 2.0 * kCheap / kIterations, 0.1 * kCheap / kIterations);
    EXPECT_EQ(loop.totals().iterations, 6000 * kIterations) << "the report has them all";
}

/// Holds one technique, then another one, and tries a third in between.
class Changing final : public Selector {
public:
    Decision choose(const LoopContext&) override {
        Decision decision{{find_technique(++chosen_ % 3 == 0 ? "tss" : chosen_ < 10 ? "fac2" : "gss")}, "test"};
        decision.exploring = chosen_ % 3 == 0;
        return decision;
    }
    void learn(const Decision&, const LoopRecord&, const LoopContext&) override {}

private:
    int chosen_ = 0;
};

TEST(LoopLearning, PlacementIsToldOfSchedulesThatHoldAndNotOfTrials) {
    LoopLearning loop("loop", 2, {}, std::make_unique<Changing>());
    const std::uint64_t before = schedule_changes();
    for (int step = 1; step < 10; ++step) (void)close(loop, open(loop), 1000);
    EXPECT_EQ(schedule_changes(), before);
    for (int step = 10; step < 20; ++step) (void)close(loop, open(loop), 1000);
    EXPECT_EQ(schedule_changes(), before + 1);
}

TEST(LoopLearning, AChoiceIsHeldWhileAnotherLevelIsAskedFirstButNoTrialIs) {
    int learnt = 0;
    LoopLearning loop("loop", 2, {}, std::make_unique<Alternating>(&learnt));
    const auto step = [&loop](bool hold) {
        const Opening opening = loop.open({.trip = kIterations, .hold = hold});
        (void)close(loop, opening, 1000);
        return opening.decision;
    };
    EXPECT_EQ(step(false).reason, "test");
    const Decision held = step(true);
    EXPECT_EQ(held.reason, "held");
    EXPECT_EQ(held.schedule.technique->info().name, "fac2");
    EXPECT_EQ(learnt, 1) << "nothing was tried";
    EXPECT_TRUE(step(false).exploring);
    const Decision after_trial = step(true);
    EXPECT_EQ(after_trial.reason, "test") << "the trial is over";
    EXPECT_EQ(after_trial.schedule.technique->info().name, "fac2");
    EXPECT_EQ(step(true).reason, "held");
}

TEST(LoopLearning, WhatAPlaceCostsIsNotHeldAgainstTheTechniqueThatRanThere) {
    // Iterations of the second half cost nine times as much: a worker there must not look nine times as slow.
    std::vector<double> seen;
    struct Spy final : Selector {
        explicit Spy(std::vector<double>* to) : times(to) {}
        Decision choose(const LoopContext&) override {
            Decision decision{.schedule = {find_technique("fac2")}, .reason = "spy"};
            decision.sampled = true;
            return decision;
        }
        void learn(const Decision&, const LoopRecord& record, const LoopContext&) override {
            times->push_back(record.loop_time / static_cast<double>(record.iterations));
        }
        std::vector<double>* times;
    };
    LoopLearning loop("loop", 2, {}, std::make_unique<Spy>(&seen));
    for (int round = 0; round < 3; ++round)
        for (std::uint64_t first = 0; first < 100'000; first += 1000)
            (void)run_part(loop, first, 1000, first < 50'000 ? 1000 : 9000, {});
    ASSERT_EQ(seen.size(), 300U);
    EXPECT_NEAR(seen[299] / seen[210], 1, 0.1);
}

TEST(LoopLearning, ThreadsRunWhatTheRanksSayAndLearnNothingFromIt) {
    LoopLearning loop("loop", 2);
    const Technique* const gss = find_technique("gss");
    const Opening told =
        loop.open({.trip = 1000, .part = {.whole = 5000, .within = {.technique = gss, .trial = true}}});
    EXPECT_EQ(told.decision.schedule.technique, gss);
    EXPECT_TRUE(told.decision.named);
    EXPECT_TRUE(told.decision.exploring);
    const Opening named = loop.open(
        {.trip = 1000, .schedule = {find_technique("tss")}, .part = {.whole = 5000, .within = {.technique = gss}}});
    EXPECT_EQ(named.decision.schedule.technique, find_technique("tss")) << "what the user named stands";
}

TEST(LoopLearning, ThreadsHoldStillWhileTheRanksTrySomething) {
    static constexpr std::string_view kSelector = "exhaustive";
    LoopLearning loop("loop", 2);
    const Opening first = run_part(loop, 0, 1000, 1000, kSelector);
    for (int i = 0; i < 3; ++i) {
        const Opening held =
            loop.open({.trip = 1000, .selector = kSelector, .part = {.whole = 100'000, .within = {.hold = true}}});
        EXPECT_EQ(held.decision.schedule.technique, first.decision.schedule.technique);
        EXPECT_TRUE(held.decision.named) << "nothing is learnt from it";
    }
    for (int step = 0; step < 3; ++step) (void)run_part(loop, 0, 1000, 1000, kSelector);
    EXPECT_NE(run_part(loop, 0, 1000, 1000, kSelector).decision.schedule.technique, first.decision.schedule.technique);
}

TEST(LoopLearning, BeyondTheMostTripCountsTheNearestGoesOn) {
    static constexpr std::string_view kSelector = "exhaustive";
    LoopLearning loop("loop", 2);
    const Opening first = run(loop, 2, kSelector);
    for (unsigned n = 2; n <= 24; ++n) (void)run(loop, std::uint64_t{1} << n, kSelector);
    for (int step = 0; step < 3; ++step) (void)run(loop, std::uint64_t{1} << 24U, kSelector);
    const Opening other = run(loop, std::uint64_t{1} << 30U, kSelector);
    EXPECT_NE(other.decision.schedule.technique, first.decision.schedule.technique) << "no search of its own begins";
}

TEST(LoopLearning, ACancelledLoopTeachesItsSelectorNothing) {
    LoopLearning loop("loop", 2);
    const Opening whole = open(loop, "sarsa");
    ASSERT_TRUE(close(loop, whole, 1000).thought) << "a loop that ran to its end teaches";
    const Opening cancelled = open(loop, "sarsa");
    std::vector<WorkerSlot> slots = slots_of(10);
    slots[1].record.iterations = 0;
    StepRow step;
    loop.close({cancelled.config, cancelled.decision, *cancelled.plan, slots}, {}, &step);
    EXPECT_FALSE(step.thought) << "half of its iterations never ran: its time says nothing";
    EXPECT_EQ(loop.totals().calls, 2U) << "it counts as a call all the same";
}

TEST(LoopLearning, ALoopThatIsAlwaysCancelledIsNotMeasuredForGood) {
    static constexpr std::string_view kAuto = "auto";
    LoopLearning loop("loop", 2);
    const auto cancel = [&] {
        const Opening opening = open(loop, kAuto);
        std::vector<WorkerSlot> slots = slots_of(10);
        slots[1].record.iterations = 0;
        loop.close({opening.config, opening.decision, *opening.plan, slots});
        return opening.config.sampled;
    };
    int measured = 0;
    for (int k = 0; k < 20; ++k) measured += cancel() ? 1 : 0;
    EXPECT_LE(measured, 3) << "what is measured is thrown away";
    (void)run(loop, kIterations, kAuto);
    EXPECT_TRUE(run(loop, kIterations, kAuto).config.sampled) << "it ran to its end";
}

// Static is looked at in the second execution; if that never ends nothing is seen.
TEST(LoopLearning, ALoopThatIsAlwaysCancelledIsNotLookedAtForGood) {
    static constexpr std::string_view kAuto = "auto";
    LoopLearning loop("loop", 2);
    const auto next = [&](bool cancelled) {
        const Opening opening = loop.open({.trip = kIterations, .can_leave = true, .selector = kAuto});
        std::vector<WorkerSlot> slots = slots_of(10);
        if (cancelled) slots[1].record.iterations = 0;
        if (opening.plan) loop.close({opening.config, opening.decision, *opening.plan, slots});
        return opening.decision.schedule.technique->info().name == "static";
    };
    (void)next(false);
    EXPECT_TRUE(next(true));
    int looks = 0;
    for (int k = 0; k < 20; ++k) looks += next(true) ? 1 : 0;
    EXPECT_LE(looks, 3);
}

TEST(LoopLearning, KnownStatisticsAreRefreshedEverySixteenthExecution) {
    LoopLearning loop("loop", 2);
    loop.set_statistics({.mean = 100, .sd = 10, .overhead = 1, .known = true});
    for (int call = 0; call < 40; ++call) {
        Opening opening = loop.open({.trip = kIterations, .schedule = {find_technique("fsc")}});
        EXPECT_EQ(opening.config.timed, call % 16 == 0) << call;
        std::vector<WorkerSlot> slots = slots_of(1000);
        for (WorkerSlot& slot : slots)
            if (opening.config.timed) slot.begin_times();
        loop.close({opening.config, opening.decision, *opening.plan, slots});
    }
}

/// One execution under `feedback` in which only iterations [first, end) cost anything.
void run_with_costs(LoopLearning& loop, std::uint64_t first, std::uint64_t end) {
    constexpr double kCost = 1e6;
    Opening opening = loop.open({.trip = kIterations, .schedule = {find_technique("feedback")}});
    ASSERT_TRUE(opening.config.sampled) << "learning is free by this clock";
    std::vector<WorkerSlot> slots = slots_of(1'000'000);
    for (WorkerSlot& slot : slots) slot.begin_costs(kIterations, 2);
    slots[0].costs->add({0, kIterations}, 1);
    slots[1].costs->add({first, end}, kCost);
    loop.close({opening.config, opening.decision, *opening.plan, slots});
}

/// Executions out of 400 that are measured, where learning a profile takes a hundredth of an execution.
/// @param moves  the dear tenth of the loop is elsewhere each time
/// @param other  what one worker takes, as a part of what the other one takes  @param iterations  N
int measured_of_400(bool moves, double other = 0.5, std::uint64_t iterations = kIterations) {
    constexpr std::uint64_t kTime = 1'000'000;
    static std::uint64_t now = 0;
    LoopClock clock;
    clock.now = []() noexcept { return now += kTime / 200; };
    LoopLearning loop("loop", 2, clock);
    int measured = 0;
    for (std::uint64_t step = 0; step < 400; ++step) {
        Opening opening = loop.open({.trip = iterations, .schedule = {find_technique("feedback")}});
        std::vector<WorkerSlot> slots = slots_of(kTime);
        slots[1].record.end = static_cast<std::uint64_t>(other * kTime);
        for (WorkerSlot& slot : slots) slot.record.iterations = iterations / 2;
        if (opening.config.sampled) {
            ++measured;
            for (WorkerSlot& slot : slots) slot.begin_costs(iterations, 2);
            const std::uint64_t dear = iterations / 10 * (moves ? static_cast<std::uint64_t>(measured) % 10 : 3);
            slots[0].costs->add({dear, dear + iterations / 10}, 0.3 * static_cast<double>(iterations));
            slots[1].costs->add({0, dear}, static_cast<double>(dear));
            slots[1].costs->add({dear + iterations / 10, iterations}, static_cast<double>(iterations - dear));
        }
        loop.close({opening.config, opening.decision, *opening.plan, slots});
    }
    return measured;
}

TEST(LoopLearning, WhatStaysOutOfBalanceThoughItsCostsStayIsMeasuredSeldom) {
    EXPECT_LT(measured_of_400(false), 80);
    EXPECT_GT(measured_of_400(true), 150);
}

TEST(LoopLearning, WhatWholeIterationsLeaveOutOfBalanceIsNotMeasuredForThat) {
    EXPECT_GT(measured_of_400(true, 0.9), 150);
    EXPECT_LT(measured_of_400(true, 0.9, 10), 80) << "one of five iterations more is as much as it can be";
}

TEST(LoopClock, ADrawThatIsMeasuredWhileAllDrawIsNotTakenForALongerOne) {
    LoopClock clock;
    EXPECT_EQ(clock.contention_now(), clock.contention);
    EXPECT_EQ(clock.serial_part_now(), clock.serial_part);
    clock.dispatch = []() noexcept { return 400.0; };
    clock.serial_dispatch = []() noexcept { return 100.0; };
    EXPECT_EQ(clock.contention_now(), 1);
    EXPECT_EQ(clock.serial_part_now(), 0.25);
    clock.serial_dispatch = []() noexcept { return 500.0; };
    EXPECT_EQ(clock.serial_part_now(), 1) << "the foreman is busy for longer than anybody waits";
    clock.serial_dispatch = []() noexcept { return 0.0; };
    EXPECT_EQ(clock.contention_now(), clock.contention) << "nothing is measured yet";
}

TEST(LoopLearning, AfterAChangeTheNewCostsCountAlone) {
    LoopClock free;
    free.now = []() noexcept -> std::uint64_t { return 0; };
    LoopLearning loop("loop", 2, free);
    for (int execution = 0; execution < 3; ++execution) run_with_costs(loop, 0, kIterations / 4);
    ASSERT_TRUE(loop.profile());
    EXPECT_LT(loop.profile()->position(loop.profile()->total() / 2), 0.25);
    run_with_costs(loop, 3 * kIterations / 4, kIterations);  // all of the old profile has vanished
    EXPECT_GT(loop.profile()->position(loop.profile()->total() / 2), 0.75)
        << "not the median with two executions of a loop that was another one";
}

}  // namespace
