// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/nested_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "virtual_run.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;
using namespace gimbal_test;

NestedMachine machine_of(std::uint32_t ranks, std::uint32_t threads) {
    return {.ranks = ranks,
            .threads = threads,
            .between = {.dispatch = 200, .serial = 20, .own_dispatch = 2, .queue_dispatch = 2, .stamp = 3},
            .within = {.dispatch = 5, .serial = 1, .own_dispatch = 1, .queue_dispatch = 1, .stamp = 2},
            .team_barrier = 30};
}

NestedSchedule pair_of(const Technique& ranks, const Technique& threads) {
    return {{&ranks}, {&threads}};
}

/// Ranks have no queues.
const Technique& rank_technique(const Technique& asked) {
    return asked.plan({.iterations = 2000, .workers = 8}).claim == Claim::queues ? named("fac2") : asked;
}

bool each_once(const WatchedWork& work) {
    return std::all_of(work.ran().begin(), work.ran().end(), [](unsigned ran) { return ran == 1; });
}

TEST(NestedLoop, EveryPairOfTechniquesRunsEveryIterationOnce) {
    NestedLoop loop;
    for (const std::uint64_t n : {0U, 1U, 7U, 300U}) {
        const std::vector<double> costs = rough_costs(n);
        for (const Technique* const ranks : techniques()) {
            for (const Technique* const threads : techniques()) {
                SCOPED_TRACE(testing::Message()
                             << "N=" << n << " " << ranks->info().name << " over " << threads->info().name);
                const WatchedWork work(costs);
                const NestedOutcome outcome = loop.run(pair_of(*ranks, *threads), {0, n}, work, machine_of(3, 4));
                EXPECT_TRUE(each_once(work));
                EXPECT_EQ(outcome.iterations, n);
                EXPECT_EQ(outcome.thread_chunks, work.chunks());
                EXPECT_LE(outcome.rank_chunks, outcome.thread_chunks);
                EXPECT_LE(outcome.rank_mean, outcome.loop_time * (1 + 1e-12));
            }
        }
    }
}

TEST(NestedLoop, OneRankIsTheLoopOfItsThreads) {
    NestedLoop loop;
    EventLoop single;
    const ListedWork work(rough_costs(2000));
    for (const Technique* const technique : techniques()) {
        SCOPED_TRACE(technique->info().name);
        NestedMachine machine = machine_of(1, 8);
        machine.between.dispatch = 1e9;  // nobody draws at a level that is not there
        const NestedOutcome nested = loop.run(pair_of(named("ss"), *technique), {0, 2000}, work, machine);
        const Plan plan = technique->plan({.iterations = 2000, .workers = 8});
        const Outcome alone = single.run(*technique, plan, work, machine.within, config_of(*technique));
        EXPECT_EQ(nested.loop_time, alone.loop_time);
        EXPECT_EQ(nested.thread_chunks, alone.chunks);
    }
}

TEST(NestedLoop, OneThreadIsTheRankLevelAlone) {
    NestedLoop loop;
    EventLoop single;
    const ListedWork work(rough_costs(2000));
    for (const Technique* const technique : techniques()) {
        SCOPED_TRACE(technique->info().name);
        NestedMachine machine = machine_of(8, 1);
        machine.within.dispatch = 1e9;
        machine.team_barrier = 1e9;
        const NestedOutcome nested = loop.run(pair_of(*technique, named("ss")), {0, 2000}, work, machine);
        const Technique& used = rank_technique(*technique);
        const Plan plan = used.plan({.iterations = 2000, .workers = 8});
        ExecutionConfig config = config_of(used);
        config.ascending = true;
        const Outcome alone = single.run(used, plan, work, machine.between, config);
        EXPECT_EQ(nested.loop_time, alone.loop_time);
        EXPECT_EQ(nested.rank_chunks, alone.chunks);
    }
}

TEST(NestedLoop, RanksRunTechniquesOfQueuesAsFac2) {
    NestedLoop loop;
    const ListedWork work(rough_costs(2000));
    const NestedMachine machine = machine_of(4, 4);
    const auto time_of = [&](const char* ranks, const char* threads) {
        return loop.run(pair_of(named(ranks), named(threads)), {0, 2000}, work, machine).loop_time;
    };
    for (const char* const name : {"static-steal", "ich", "binlpt", "lws-steal"}) {
        SCOPED_TRACE(name);
        EXPECT_EQ(time_of(name, "gss"), time_of("fac2", "gss"));
    }
    EXPECT_NE(time_of("fac2", "static-steal"), time_of("fac2", "fac2")) << "threads have queues";
}

TEST(NestedLoop, AnExampleThatCanBeCountedByHand) {
    // Two ranks of two threads, equal blocks at both levels, iterations of 100: rank 0 has [0, 4), its threads two
    // each.
    NestedLoop loop;
    const ListedWork work(constant_costs(8, 100));
    const NestedMachine machine{.ranks = 2,
                                .threads = 2,
                                .between = {.dispatch = 1000, .own_dispatch = 50},
                                .within = {.dispatch = 10, .own_dispatch = 1},
                                .team_barrier = 7};
    const NestedOutcome outcome = loop.run(pair_of(named("static"), named("static")), {0, 8}, work, machine);
    EXPECT_EQ(outcome.loop_time, 50 + 1 + 200 + 7);
    EXPECT_EQ(outcome.rank_chunks, 2U);
    EXPECT_EQ(outcome.thread_chunks, 4U);
    EXPECT_EQ(outcome.team_time, 2 * 201);
    EXPECT_EQ(outcome.thread_mean, 2 * 201);
}

TEST(NestedLoop, AChunkCostsWhatItsPositionCosts) {
    // All the work is in the last iteration, so the threads of the last rank must meet it, and nobody else.
    std::vector<double> costs(64, 0.0);
    costs.back() = 5000;
    const ListedWork work(costs);
    NestedLoop loop;
    NestedMachine machine{.ranks = 4, .threads = 2};
    const NestedSchedule choice = pair_of(named("static"), named("static"));
    const NestedOutcome outcome = loop.run(choice, {0, 64}, work, machine);
    EXPECT_EQ(outcome.loop_time, 5000);
    EXPECT_EQ(outcome.rank_mean, 1250);
    EXPECT_EQ(loop.run(choice, {0, 32}, work, machine).loop_time, 0);
    EXPECT_EQ(loop.run(choice, {32, 64}, work, machine).loop_time, 5000);
    const std::vector<double> slowness = {1, 1, 1, 3};
    machine.between.slowness = slowness;
    EXPECT_EQ(loop.run(choice, {0, 64}, work, machine).loop_time, 15000);
}

TEST(NestedLoop, ALimitLeavesTheEndOfTheLoopToWhatRunsNext) {
    NestedLoop loop;
    NestedMachine machine = machine_of(4, 2);
    machine.between.until = 3000;
    for (const char* const name : {"ss", "gss", "fac2", "tss", "awf-c", "af"}) {
        SCOPED_TRACE(name);
        const WatchedWork work(constant_costs(500, 100));
        const NestedSchedule choice = pair_of(named(name), named("fac2"));
        const NestedOutcome first = loop.run(choice, {0, 500}, work, machine);
        EXPECT_GT(first.iterations, 0U);
        ASSERT_LT(first.iterations, 500U);
        EXPECT_GE(first.loop_time, 3000);
        for (std::uint64_t i = 0; i < 500; ++i) EXPECT_EQ(work.ran()[i], i < first.iterations ? 1U : 0U);
        machine.between.until = kNoLimit;
        const NestedOutcome rest = loop.run(choice, {first.iterations, 500}, work, machine);
        EXPECT_EQ(first.iterations + rest.iterations, 500U);
        EXPECT_TRUE(each_once(work));
        machine.between.until = 3000;
    }
}

TEST(NestedLoop, SameArgumentsGiveTheSameOutcomeWithNoiseToo) {
    const ListedWork work(rough_costs(3000));
    NestedMachine machine = machine_of(4, 4);
    machine.within.chunk_noise = 0.1;
    machine.within.seed = 5;
    NestedLoop loop;
    NestedLoop other;
    const NestedSchedule choice = pair_of(named("fac2"), named("gss"));
    const double once = loop.run(choice, {0, 3000}, work, machine).loop_time;
    EXPECT_EQ(loop.run(choice, {0, 3000}, work, machine).loop_time, once);
    EXPECT_EQ(other.run(choice, {0, 3000}, work, machine).loop_time, once);
    machine.within.seed = 6;
    EXPECT_NE(loop.run(choice, {0, 3000}, work, machine).loop_time, once);
}

}  // namespace
