// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// auto and simulate in virtual time, where the best technique is known and noise is the same for all.
#include "select/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "config/load.hpp"
#include "experiment/experiment.hpp"
#include "experiment/virtual_loop.hpp"
#include "select/auto.hpp"
#include "select/background.hpp"
#include "simulate/work.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;

constexpr std::array<std::string_view, 12> kSeeds = {"static", "ss",    "mfsc",  "gss",   "tss",   "fac2",
                                                     "awf",    "awf-b", "awf-c", "awf-d", "awf-e", "af"};

struct Times {
    std::vector<double> steps;
    std::map<std::string, int> ran;

    [[nodiscard]] double total() const { return sum(0); }
    [[nodiscard]] double sum(std::size_t from) const {
        double sum = 0;
        for (std::size_t k = from; k < steps.size(); ++k) sum += steps[k];
        return sum;
    }
};

/// @param who  a technique or a selector
Times run(std::string_view application, std::string_view who, std::uint32_t workers, std::uint64_t steps = 200,
          std::uint64_t iterations = 0) {
    set_option("background", "off");
    ApplicationRequest wanted = parse_application(application);
    wanted.workers = workers;
    wanted.steps = steps;
    wanted.iterations = iterations;
    const std::unique_ptr<Application> made = make_application(std::move(wanted));
    Experiment experiment{.application = made.get(),
                          .costs = drawing_costs(made->ranks),
                          .disturbances = {.worker_noise = 0.01, .chunk_noise = 0.01}};
    experiment.request.schedule.technique = find_technique(who);
    if (!experiment.request.schedule.technique) experiment.request.selector = who;
    Times times;
    run_experiment(experiment, [&](const ExperimentStep& seen) {
        times.steps.push_back(seen.step->loop_time);
        ++times.ran[std::string(seen.step->schedule.technique->info().name)];
    });
    return times;
}

double best_fixed(std::string_view application, std::uint32_t workers, std::size_t from = 0) {
    double best = run(application, kSeeds[0], workers).sum(from);
    for (const std::string_view name : kSeeds) best = std::min(best, run(application, name, workers).sum(from));
    return best;
}

TEST(Auto, IsWithinTwoPerCentOfTheBestFixedTechniqueOnAMovingLoad) {
    EXPECT_LE(run("bump", "auto", 2).total(), 1.02 * best_fixed("bump", 2));
    EXPECT_LE(run("bump", "auto", 16).total(), 1.02 * best_fixed("bump", 16));
    EXPECT_LE(run("bump", "auto", 64).total(), 1.02 * best_fixed("bump", 64));
}

TEST(Auto, KeepsUpWithTheBestFixedTechniqueWhereEveryWorkersBlockCostsAlike) {
    EXPECT_LE(run("pisolver:imbalance=20", "auto", 200).total(), 1.003 * best_fixed("pisolver:imbalance=20", 200));
}

TEST(Auto, LosesNothingToStaticOnAUniformLoop) {
    for (const std::uint32_t workers : {2U, 8U, 32U})
        EXPECT_LE(run("uniform", "auto", workers).total(), 1.01 * run("uniform", "static", workers).total()) << workers;
}

TEST(Auto, IsBackWithin20StepsWhenTheLoadIsReversed) {
    for (const std::uint32_t workers : {2U, 8U, 16U}) {
        const double now = run("flip", "auto", workers).sum(120);
        EXPECT_LE(now, 1.05 * best_fixed("flip", workers, 120)) << workers;
    }
}

// Whose costs lie elsewhere each time: no profile of the last ones says anything of the next one.
TEST(Auto, DoesNotBelieveAModelThatIsWrongAboutWhatItRuns) {
    for (const std::string_view application : {"jump:cost_us=1,every=1", "random:cost_us=1"}) {
        const double stealing = run(application, "static-steal", 64, 600, 10000).total();
        EXPECT_LE(run(application, "auto", 64, 600, 10000).total(), 1.3 * stealing) << application;
    }
}

// Nor where two sets of data come in turn: each trial may meet the one, and what it is compared with the other.
TEST(Auto, FindsWhatIsBestForSeveralSetsOfDataInTurn) {
    for (const std::string_view application : {"turns:cost_us=1", "turns:cost_us=1,places=3"}) {
        for (const std::uint32_t workers : {4U, 16U, 64U}) {
            const double stealing = run(application, "static-steal", workers, 600, 5000).total();
            EXPECT_LE(run(application, "auto", workers, 600, 5000).total(), 1.35 * stealing) << application << workers;
        }
    }
}

TEST(Auto, NeverRunsWhatTheModelExpectsToLoseByFar) {
    Times times = run("bump", "auto", 16);
    EXPECT_EQ(times.ran["static"], 0);
    EXPECT_GT(times.ran["feedback"], 10);
}

TEST(Simulate, FindsTheBestOfThePortfolioWithoutTryingAll) {
    Times times = run("triangular", "simulate", 8);
    EXPECT_LE(times.total(), 1.02 * best_fixed("triangular", 8));
    EXPECT_EQ(times.ran["static"], 0);
}

TEST(Auto, RunsStaticForOneWorkerAndLearnsNothing) {
    const std::unique_ptr<Selector> selector = make_auto(1, false);
    for (int step = 0; step < 10; ++step) {
        const Decision decision = selector->choose({.iterations = 1000, .workers = 1});
        EXPECT_EQ(decision.schedule.technique->info().name, "static");
        EXPECT_FALSE(decision.sampled);
        selector->learn(decision, {.iterations = 1000, .loop_time = 1000}, {.iterations = 1000, .workers = 1});
    }
    EXPECT_FALSE(selector->alternative().has_value());
}

/// Executions of an even loop that are measured from `at` on, where they take longer for so many executions.
/// @param balance  mean over max of the workers' times in these
int measured_after(int at, int longer, double balance = 0.8) {
    const std::unique_ptr<Selector> selector = make_auto(1, false);
    ChunkCosts costs;
    costs.prepare(1000, 100);
    costs.add({0, 1000}, 100000);
    const ChunkCosts* const seen[] = {&costs};
    CostProfile profile;
    profile.learn(seen);
    const LoopContext context{.iterations = 1000,
                              .workers = 2,
                              .dispatch = 10,
                              .iteration_time = 100,
                              .profile = &profile,
                              .profile_version = 4};
    int measured = 0;
    for (int step = 0; step < at + 20; ++step) {
        const Decision decision = selector->choose(context);
        const bool other = step >= at && step < at + longer;
        const double time = other ? 80000 : 50000;
        if (step >= at) measured += decision.sampled ? 1 : 0;
        const double busy = time * (other ? balance : 1);
        selector->learn(decision, {.iterations = 1000, .loop_time = time, .busy_max = time, .busy_mean = busy},
                        context);
    }
    return measured;
}

TEST(Auto, MeasuresCostsAnewAfterAChangeAndNotAfterAnInterruption) {
    int after_changes = 0;
    for (int at = 60; at < 80; ++at) {
        EXPECT_EQ(measured_after(at, 1), 0) << at;
        EXPECT_EQ(measured_after(at, 20, 1), 0) << "more of the same, at " << at;
        after_changes += measured_after(at, 20);
    }
    EXPECT_GE(after_changes, 20) << "of 20 changes, of which trials hide some";
}

// What is found out costs more than a quarter of such an execution.
TEST(Auto, AShortLoopThatKeepsItsTechniqueHardlyMeasuresCostsAnyMore) {
    const std::unique_ptr<Selector> selector = make_auto(1, false);
    ChunkCosts costs;
    costs.prepare(1000, 100);
    for (std::uint64_t i = 0; i < 1000; i += 10) costs.add({i, i + 10}, static_cast<double>(i));
    const ChunkCosts* const seen[] = {&costs};
    CostProfile profile;
    profile.learn(seen);
    LoopContext context{.iterations = 1000,
                        .workers = 2,
                        .tick_s = 1e-9,
                        .dispatch = 10,
                        .iteration_time = 60,
                        .profile = &profile,
                        .profile_version = 4};
    int measured = 0;
    for (int step = 0; step < 6000; ++step) {
        const Decision decision = selector->choose(context);
        if (decision.sampled) ++context.profile_version;
        measured += step >= 2000 && decision.sampled ? 1 : 0;
        const std::string_view name = decision.schedule.technique->info().name;
        // Two executions in a hundred meet an interruption, and static and feedback lose by far.
        const double time = (name == "gss" ? 30000 : 40000) * (step % 100 < 2 ? 2 : 1) * (1 + 0.002 * (step % 7));
        const double busy = time * (step % 100 < 2 ? 0.6 : 0.97);
        selector->learn(decision, {.iterations = 1000, .loop_time = time, .busy_max = time, .busy_mean = busy},
                        context);
    }
    EXPECT_LE(measured, 40) << "of 4000 executions";
    EXPECT_GE(measured, 4);
}

TEST(Auto, MeasuresWithChunksThatEndInBalanceAndAreWorthDrawing) {
    const auto second_of = [](double iteration_time) {
        VirtualLoop loop("loop", 4, 0.5, make_auto(1, false));
        const ListedWork work(std::vector<double>(4000, iteration_time));
        const std::vector<double> slowness(4, 1.0);
        const Machine machine{.slowness = slowness, .dispatch = 100, .serial = 40};
        const Request request{.trip = 4000, .can_leave = true};
        const Schedule first = loop.run(request, work, machine).schedule;
        EXPECT_EQ(first.technique->info().name, "static-steal") << "pages lie where static would have them";
        EXPECT_EQ(first.chunk, 4000 / (16 * 4) + 1) << "nothing is measured";
        return loop.run(request, work, machine).schedule;
    };
    const Schedule dear = second_of(100'000);
    EXPECT_EQ(dear.technique->info().name, "static-steal");
    EXPECT_EQ(dear.chunk, 4000 / (32 * 4) + 1);
    const Schedule cheap = second_of(250);
    EXPECT_EQ(cheap.technique->info().name, "static-steal");
    EXPECT_GT(cheap.chunk, dear.chunk) << "a draw costs as much as an iteration";
}

TEST(Auto, MonotonicLoopsGetMonotonicTechniques) {
    VirtualLoop loop("loop", 4, 0.5, make_auto(1, false));
    std::vector<double> costs(4000);
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = static_cast<double>(i);
    const ListedWork work(costs);
    const std::vector<double> slowness(4, 1.0);
    const Machine machine{.slowness = slowness, .dispatch = 100, .serial = 40};
    for (int step = 0; step < 200; ++step) {
        const StepRow seen = loop.run({.trip = 4000, .monotonic = true}, work, machine);
        EXPECT_TRUE(seen.schedule.technique->info().monotonic) << step;
        EXPECT_EQ(loop.learning().totals().fallbacks, 0U) << "the site had to correct it at step " << step;
    }
}

TEST(Auto, LoopsOfChangingLengthAreCoveredAndPredictedAnew) {
    VirtualLoop loop("loop", 4, 0.5, make_auto(1, false));
    const std::vector<double> slowness(4, 1.0);
    const Machine machine{.slowness = slowness, .dispatch = 100, .serial = 40};
    for (std::uint64_t step = 0; step < 300; ++step) {
        const std::uint64_t n = step % 7 == 0 ? step % 3 : 4000 - 10 * step;
        const ListedWork work(std::vector<double>(n, 1000));
        const StepRow seen = loop.run({.trip = n}, work, machine);
        EXPECT_EQ(seen.iterations, n);
        if (n > 100 && step > 20) {
            EXPECT_LT(seen.loop_time, 1.1 * 1000 * static_cast<double>(n) / 4 + 20000) << step;
        }
    }
}

/// Chunks of ss that a selector chooses among, as it writes them down.
std::vector<std::uint64_t> chunks_among(const Selector& selector) {
    ByteWriter kept;
    EXPECT_TRUE(selector.save(kept));
    const std::string_view bytes = kept.bytes(), name("\2ss", 3);
    std::vector<std::uint64_t> chunks;
    for (std::size_t at = bytes.find(name); at != std::string_view::npos; at = bytes.find(name, at + 1))
        chunks.push_back(ByteReader(bytes.substr(at + name.size())).get<std::uint64_t>());
    return chunks;
}

TEST(Auto, ChunksAreThoseThatAreWorthDrawingAtTheTripCount) {
    const std::unique_ptr<Selector> few = make_auto(1, false);
    LoopContext context{.iterations = 40, .workers = 4, .dispatch = 100, .iteration_time = 100};
    for (int step = 0; step < 40; ++step) {
        const Decision decision = few->choose(context);
        few->learn(decision, {.iterations = 40, .loop_time = 1000, .busy_max = 1000, .busy_mean = 1000}, context);
    }
    EXPECT_THAT(chunks_among(*few), testing::ElementsAre(2));
    const std::unique_ptr<Selector> many = few->for_other_length();
    context.iterations = 1'000'000;
    context.iteration_time = 0;
    (void)many->choose(context);
    EXPECT_THAT(chunks_among(*many), testing::ElementsAre(2)) << "nobody knows what an iteration takes";
    context.iteration_time = 100;
    (void)many->choose(context);
    EXPECT_THAT(chunks_among(*many), testing::ElementsAre(100));
    EXPECT_THAT(chunks_among(*few), testing::ElementsAre(2));
}

TEST(Auto, ExecutionsMayOverlapAndEndInAnyOrder) {
    const std::unique_ptr<Selector> selector = make_auto(1, false);
    LoopContext context{.iterations = 1000, .workers = 2, .dispatch = 10, .iteration_time = 100};
    std::vector<Decision> open;
    for (int step = 0; step < 300; ++step) {
        open.push_back(selector->choose(context));
        ASSERT_NE(open.back().schedule.technique, nullptr);
        if (open.size() < 3) continue;
        const std::size_t which = static_cast<std::size_t>(step) % 3;
        const Decision done = open[which];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        if (step % 5 != 0) selector->learn(done, {.iterations = 1000, .loop_time = 50000, .busy_mean = 49000}, context);
    }
}

TEST(Auto, WhatElseThereIsIsComparedWithWhatRunsNowHoweverTheLoopHasGrown) {
    for (const double growth : {0.99, 1.0, 1.01}) {
        VirtualLoop loop("loop", 4, 0.5, make_auto(1, false));
        double cost = 1000;
        for (std::uint64_t step = 0; step < 300; ++step) {
            cost *= growth;
            const ListedWork work(std::vector<double>(1000, cost));
            const Machine machine{.dispatch = 100, .serial = 40, .own_dispatch = 2, .chunk_noise = 0.01, .seed = step};
            loop.run({.trip = 1000}, work, machine);
        }
        const auto other = loop.learning().selector()->alternative();
        ASSERT_TRUE(other);
        EXPECT_NEAR(other->ratio, 1, 0.1) << "whatever balances a uniform loop";
        EXPECT_NE(other->schedule, other->incumbent);
    }
}

TEST(Auto, WhatThreadsComeLateByIsNoDifferenceBetweenSchedules) {
    const std::unique_ptr<Selector> selector = make_auto(1, false);
    ChunkCosts costs;
    costs.prepare(1000, 100);
    costs.add({0, 1000}, 100000);
    const ChunkCosts* const seen[] = {&costs};
    CostProfile profile;
    profile.learn(seen);
    LoopContext context{.iterations = 1000, .workers = 2, .dispatch = 10, .iteration_time = 100, .profile = &profile};
    int trials = 0;
    for (int step = 0; step < 600; ++step) {
        context.profile_version = static_cast<std::uint64_t>(step) + 1;
        const Decision decision = selector->choose(context);
        trials += decision.exploring ? 1 : 0;
        // Threads are late whenever nothing is tried.
        const double late = decision.exploring ? 0 : 20000, busy = 50000;
        selector->learn(
            decision, {.iterations = 1000, .loop_time = busy + late, .busy_max = busy, .busy_mean = busy, .late = late},
            context);
    }
    ASSERT_GT(trials, 5);
    const auto other = selector->alternative();
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->predicted);
    EXPECT_NEAR(other->ratio, 1, 0.05) << "and not 50 ms for 70";
    EXPECT_GT(other->trials, 0U);
    EXPECT_LT(other->error, 0.2);
}

TEST(Auto, AsksOnceHoweverLongTheAnswerTakes) {
    std::promise<void> begun, release;
    ASSERT_TRUE(run_in_background(true, [&begun, wait = release.get_future().share()] {
        begun.set_value();
        wait.wait();
    }));
    begun.get_future().wait();  // else it waits, too, on a busy machine
    VirtualLoop loop("loop", 4, 0.5, make_auto(1));
    const ListedWork work(std::vector<double>(1000, 1000));
    const Machine machine{.dispatch = 100, .serial = 40, .own_dispatch = 2};
    int settled = 0;
    for (int step = 0; step < 5000; ++step) {
        loop.run({.trip = 1000}, work, machine);
        settled += loop.learning().selector()->settled() > 0 ? 1 : 0;
    }
    EXPECT_EQ(background_waiting(), 1U);
    EXPECT_GT(settled, 1000) << "nobody has to look for it after each execution";
    release.set_value();
    std::promise<void> done;
    ASSERT_TRUE(run_in_background(true, [&] { done.set_value(); }));
    done.get_future().wait();
    for (int step = 0; step < 50; ++step) loop.run({.trip = 1000}, work, machine);
    EXPECT_TRUE(loop.learning().selector()->alternative()) << "the answer counts when it comes";
}

/// Names of what runs in 200 steps in which the answer is under way, after the 32 of patience.
std::map<std::string, int> ran_while_the_answer_is_pending(const Portfolio& portfolio) {
    std::promise<void> begun, release;
    EXPECT_TRUE(run_in_background(true, [&begun, wait = release.get_future().share()] {
        begun.set_value();
        wait.wait();
    }));
    begun.get_future().wait();
    std::map<std::string, int> ran;
    std::vector<double> costs(1000);
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = static_cast<double>(10 * i);  // static loses by far
    const ListedWork work(costs);
    const Machine machine{.dispatch = 100, .serial = 40, .own_dispatch = 2};
    VirtualLoop loop("loop", 4, 0.5, make_simulate(portfolio, 1, false, true));
    for (int step = 0; step < 232; ++step) {
        const StepRow seen = loop.run({.trip = 1000}, work, machine);
        if (step >= 32) ++ran[std::string(seen.schedule.technique->info().name)];
    }
    EXPECT_EQ(background_waiting(), 1U) << "the model was asked";
    release.set_value();
    std::promise<void> done;
    EXPECT_TRUE(run_in_background(true, [&] { done.set_value(); }));
    done.get_future().wait();
    for (int step = 0; step < 50; ++step) loop.run({.trip = 1000}, work, machine);
    EXPECT_NE(loop.run({.trip = 1000}, work, machine).schedule.technique, find_technique("static"));
    return ran;
}

TEST(Simulate, WhatWasMeasuredRunsUntilTheAnswerIsThere) {
    const auto with = ran_while_the_answer_is_pending({{find_technique("static")}, {find_technique("fac2")}});
    EXPECT_EQ(with, (std::map<std::string, int>{{"fac2", 200}}));
    const auto without = ran_while_the_answer_is_pending({{find_technique("static")}, {find_technique("ss")}});
    EXPECT_EQ(without, (std::map<std::string, int>{{"fac2", 200}})) << "nothing of the portfolio was measured";
}

TEST(Simulate, TheModelIsNotAskedAboutExecutionsThatAreNoLoops) {
    Portfolio portfolio = {{find_technique("ss")}, {find_technique("static")}};
    VirtualLoop loop("loop", 4, 0.5, make_simulate(portfolio, 1, false, false));
    std::vector<double> costs(2000);
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = static_cast<double>(i) / 4;
    const ListedWork work(costs);
    const ListedWork single(std::vector<double>{1e9});  // long enough to pay for a prediction
    const Machine machine{.dispatch = 100, .serial = 40, .own_dispatch = 2};
    for (int step = 0; step < 30; ++step) {
        const bool none = step == 5;
        const StepRow seen = loop.run({.trip = none ? 1U : 2000U}, none ? single : work, machine);
        const bool is_static = seen.schedule.technique->info().name == "static";
        EXPECT_EQ(is_static, none) << step;
    }
}

}  // namespace
