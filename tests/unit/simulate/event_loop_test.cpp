// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/event_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "virtual_run.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;
using namespace gimbal_test;

struct Case {
    std::uint64_t iterations;
    std::uint32_t workers;
};

class EveryTechnique : public testing::TestWithParam<const Technique*> {};

std::string name_of(const testing::TestParamInfo<const Technique*>& info) {
    std::string name(info.param->info().name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryTechnique, testing::ValuesIn(techniques().begin(), techniques().end()), name_of);

TEST_P(EveryTechnique, RunsEveryIterationOnceAndNotesWhatItRan) {
    EventLoop loop;
    for (const Case& c : {Case{0, 3}, Case{1, 1}, Case{1, 8}, Case{5, 4}, Case{1000, 1}, Case{1000, 7}, Case{4096, 64},
                          Case{10007, 200}}) {
        SCOPED_TRACE(testing::Message() << "N=" << c.iterations << " P=" << c.workers);
        const WatchedWork work(rough_costs(c.iterations));
        const Plan plan = plan_of(*GetParam(), c.iterations, c.workers);
        std::vector<WorkerSlot> slots(c.workers);
        const Machine machine{.dispatch = 5, .serial = 1, .own_dispatch = 1, .stamp = 2, .chunk_noise = 0.1, .seed = 3};
        const Outcome outcome = loop.run(*GetParam(), plan, work, machine, config_of(*GetParam()), slots);
        EXPECT_TRUE(std::all_of(work.ran().begin(), work.ran().end(), [](unsigned ran) { return ran == 1; }));
        std::uint64_t iterations = 0;
        std::uint64_t chunks = 0;
        std::uint64_t last = 0;
        for (const WorkerSlot& slot : slots) {
            iterations += slot.record.iterations;
            chunks += slot.record.chunks;
            last = std::max(last, slot.record.end);
            EXPECT_EQ(slot.record.begin, 0U);
        }
        EXPECT_EQ(iterations, c.iterations);
        EXPECT_EQ(chunks, work.chunks());
        EXPECT_EQ(chunks, outcome.chunks);
        EXPECT_NEAR(static_cast<double>(last), outcome.loop_time, 0.5);
        EXPECT_LE(outcome.busy_mean, outcome.loop_time * (1 + 1e-12));
    }
}

TEST_P(EveryTechnique, SameArgumentsGiveTheSameOutcome) {
    const ListedWork work(rough_costs(5000));
    const Plan plan = plan_of(*GetParam(), 5000, 16);
    const Machine machine{.dispatch = 5,
                          .serial = 1,
                          .stamp = 2,
                          .chunk_noise = 0.1,
                          .interruptions = 1e-4,
                          .interruption = 500,
                          .seed = 3};
    EventLoop loop;
    const ExecutionConfig config = config_of(*GetParam());
    const Outcome first = loop.run(*GetParam(), plan, work, machine, config);
    const Outcome again = loop.run(*GetParam(), plan, work, machine, config);
    EXPECT_EQ(first.loop_time, again.loop_time);
    EXPECT_EQ(first.busy_mean, again.busy_mean);
    EXPECT_EQ(first.chunks, again.chunks);
    EventLoop other;
    EXPECT_EQ(other.run(*GetParam(), plan, work, machine, config).loop_time, first.loop_time);
}

TEST_P(EveryTechnique, NoLoopIsShorterThanItsWorkSpreadOverAllWorkers) {
    const std::vector<double> costs = rough_costs(5000);
    const ListedWork work(costs);
    const std::vector<double> slowness = {1, 2, 1, 4};
    const Machine machine{.slowness = slowness, .dispatch = 5, .serial = 1};
    EventLoop loop;
    const Plan plan = plan_of(*GetParam(), 5000, 4);
    const double ideal = work.total() / (1 + 0.5 + 1 + 0.25);
    EXPECT_GE(loop.run(*GetParam(), plan, work, machine, config_of(*GetParam())).loop_time, ideal);
}

// Four iterations of 10, 20, 30, 40 on two workers of which the second is twice as slow; a draw takes 2.
class TinyLoop : public testing::Test {
protected:
    Outcome run(std::string_view name, std::uint64_t chunk = 0) {
        const Technique& technique = named(name);
        const Plan plan = plan_of(technique, 4, 2, chunk);
        return loop_.run(technique, plan, work_, machine_, config_of(technique), slots_);
    }
    std::vector<double> costs_ = {10, 20, 30, 40};
    ListedWork work_{costs_};
    std::vector<double> slowness_ = {1, 2};
    Machine machine_{.slowness = slowness_, .dispatch = 2, .own_dispatch = 1};
    std::vector<WorkerSlot> slots_ = std::vector<WorkerSlot>(2);
    EventLoop loop_;
};

TEST_F(TinyLoop, OwnedBlocksByHand) {
    // Worker 0: 1 + 10 + 20; worker 1: 1 + 2 (30 + 40).
    const Outcome outcome = run("static");
    EXPECT_DOUBLE_EQ(outcome.loop_time, 141);
    EXPECT_EQ(slots_[0].record.end, 31U);
    EXPECT_EQ(slots_[1].record.end, 141U);
    EXPECT_EQ(outcome.chunks, 2U);
}

TEST_F(TinyLoop, OwnedSingleStepsByHand) {
    // Worker 0: 1 + 10 + 1 + 30; worker 1: 1 + 40 + 1 + 80.
    EXPECT_DOUBLE_EQ(run("static", 1).loop_time, 122);
    EXPECT_EQ(slots_[0].record.end, 42U);
}

TEST_F(TinyLoop, SharedByHand) {
    // Worker 0: 2 + 10 = 12, 2 + 30 = 44, then nothing: 46. Worker 1: 2 + 40 = 42, 2 + 80 = 124, nothing: 126.
    EXPECT_DOUBLE_EQ(run("ss").loop_time, 126);
    EXPECT_EQ(slots_[0].record.end, 46U);
    EXPECT_EQ(slots_[0].record.iterations, 2U);
}

TEST_F(TinyLoop, SharedWithAnExclusiveCounterByHand) {
    // Worker 1 waits for 2 at first: 4 + 40 = 44. Worker 0: 12, 14 + 30 = 44: a tie, so worker 0 draws the last: 86.
    machine_.serial = 2;
    EXPECT_DOUBLE_EQ(run("ss").loop_time, 88);
    EXPECT_EQ(slots_[0].record.iterations, 3U);
    EXPECT_EQ(slots_[1].record.end, 48U);
}

TEST_F(TinyLoop, QueuesByHand) {
    // Each draws single grains of its half: worker 0 runs 0 and 1 (2 + 10, 2 + 20: at 34) and then finds what worker 1
    // left behind; worker 1 has run 2 until 62.
    const Technique& technique = named("static-steal");
    const Plan plan = plan_of(technique, 4, 2, 1);
    ASSERT_EQ(plan.claim, Claim::queues);
    loop_.run(technique, plan, work_, machine_, config_of(technique), slots_);
    EXPECT_EQ(slots_[0].record.iterations, 3U);
    EXPECT_EQ(slots_[1].record.iterations, 1U);
}

TEST(EventLoop, WeightedWorkersTakeTheirShares) {
    const Technique& technique = named("wf2");
    const std::vector<double> weights = {1.5, 0.5};
    const Plan plan = technique.plan({.iterations = 1000, .workers = 2, .weights = weights});
    ASSERT_EQ(plan.claim, Claim::weighted);
    const ListedWork work(constant_costs(1000, 10));
    const std::vector<double> slowness = {1, 3};
    std::vector<WorkerSlot> slots(2);
    EventLoop loop;
    const Machine machine{.slowness = slowness};
    const Outcome outcome = loop.run(technique, plan, work, machine, config_of(technique), slots);
    EXPECT_EQ(slots[0].record.iterations, 750U);
    EXPECT_DOUBLE_EQ(outcome.loop_time, 7500);
}

TEST(EventLoop, StaticTakesTheDearestBlock) {
    const std::vector<double> costs = rough_costs(10000);
    const ListedWork work(costs);
    const Plan plan = plan_of(named("static"), 10000, 200);
    double dearest = 0;
    for (std::size_t i = 0; i < 200; ++i) dearest = std::max(dearest, work.time({i * 50, (i + 1) * 50}));
    EventLoop loop;
    EXPECT_DOUBLE_EQ(loop.run(named("static"), plan, work, {}, config_of(named("static"))).loop_time, dearest);
}

TEST(EventLoop, TheCounterBoundsSingleIterations) {
    const ListedWork work(constant_costs(10000, 10));
    const Plan plan = plan_of(named("ss"), 10000, 100);
    EventLoop loop;
    const Machine machine{.dispatch = 3, .serial = 1};
    const double time = loop.run(named("ss"), plan, work, machine, config_of(named("ss"))).loop_time;
    EXPECT_GE(time, 10000);             // N draws, one after the other
    EXPECT_LE(time, 10000 + 100 + 13);  // and hardly more: 100 workers always wait
}

TEST(EventLoop, WithoutContentionSingleIterationsCostTheirDraws) {
    const ListedWork work(constant_costs(10000, 1000));
    const Plan plan = plan_of(named("ss"), 10000, 10);
    EventLoop loop;
    const Machine machine{.dispatch = 3, .serial = 1};
    const double time = loop.run(named("ss"), plan, work, machine, config_of(named("ss"))).loop_time;
    EXPECT_NEAR(time, 1000 * 1003, 9 + 3);  // the first ten meet, later ones do not
}

TEST(EventLoop, BundledDrawsAreWithinABundleOfSingleOnes) {
    const std::vector<double> costs = rough_costs(100000);
    const ListedWork work(costs);
    const Plan plan = plan_of(named("ss"), 100000, 40);
    const ExecutionConfig config = config_of(named("ss"));
    EventLoop loop;
    for (const double serial : {0.0, 0.5, 2.0, 2.6, 5.0, 20.0}) {  // from idle to hopelessly busy
        Machine machine{.dispatch = 5 + serial, .serial = serial};
        const Outcome single = loop.run(named("ss"), plan, work, machine, config);
        machine.most_events = 2000;
        const Outcome bundled = loop.run(named("ss"), plan, work, machine, config);
        EXPECT_EQ(bundled.chunks, 100000U);
        const double bundle = 50 * (200 * 1.3 + machine.dispatch);
        EXPECT_NEAR(bundled.loop_time, single.loop_time, bundle) << serial;
        EXPECT_NEAR(bundled.loop_time, single.loop_time, 0.01 * single.loop_time) << serial;
    }
}

TEST(EventLoop, ChunkNoiseHasTheDeviationThatWasAskedFor) {
    // One worker, one iteration a chunk: the sum of N noisy chunks strays by sd sqrt(N).
    const ListedWork work(constant_costs(10000, 100));
    const Plan plan = plan_of(named("ss"), 10000, 1);
    const ExecutionConfig config = config_of(named("ss"));
    EventLoop loop;
    double squares = 0;
    constexpr std::uint64_t kSeeds = 100;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Machine machine{.chunk_noise = 0.1, .seed = seed};
        const double strays = loop.run(named("ss"), plan, work, machine, config).loop_time - 1e6;
        squares += strays * strays;
    }
    EXPECT_NEAR(std::sqrt(squares / kSeeds), 0.1 * 100 * std::sqrt(10000), 250);  // 3.5 standard errors
}

TEST(EventLoop, InterruptionsTakeTheirPartOfTheTime) {
    const ListedWork work(constant_costs(1000, 1000));
    const Plan plan = plan_of(named("ss"), 1000, 1);
    EventLoop loop;
    const Machine machine{.interruptions = 1e-3, .interruption = 250, .seed = 1};
    // 1000 interruptions are expected in 10^6 ticks of work.
    EXPECT_NEAR(loop.run(named("ss"), plan, work, machine, config_of(named("ss"))).loop_time, 1.25e6, 4 * 250 * 32);
}

TEST(EventLoop, TimesOfChunksGoIntoTheSlots) {
    const ListedWork work(constant_costs(1000, 10));
    ExecutionConfig config = config_of(named("ss"));
    config.timed = config.sampled = true;
    const Plan plan = plan_of(named("ss"), 1000, 1, 10);
    std::vector<WorkerSlot> slots(1);
    EventLoop loop;
    const Machine machine{.dispatch = 20, .stamp = 5};
    loop.run(named("ss"), plan, work, machine, config, slots);
    // A chunk's time runs from its own stamp to the next one: 10 * 10 + 20 + 5.
    EXPECT_DOUBLE_EQ(slots[0].times->statistics(20).mean, 12.5);
    EXPECT_NEAR(slots[0].costs->time(), 100 * 125, 1e-6);
}

TEST(EventLoop, TheEndOfTheStaticPartIsNoted) {
    const Technique& technique = named("lws");
    const Plan plan = technique.plan({.iterations = 1000, .workers = 4, .fraction = 0.5});
    ExecutionConfig config = config_of(technique);
    config.split = true;
    const ListedWork work(constant_costs(1000, 10));
    std::vector<WorkerSlot> slots(4);
    EventLoop loop;
    loop.run(technique, plan, work, {}, config, slots);
    for (const WorkerSlot& slot : slots) {
        EXPECT_EQ(slot.record.static_iterations, 125U);
        EXPECT_EQ(slot.record.static_end, 1250U);
    }
}

}  // namespace
