// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/pair_prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "experiment/pair_experiment.hpp"
#include "gimbal/random.hpp"
#include "levels/coordinator.hpp"
#include "measure/fine_costs.hpp"
#include "simulate/work.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::levels;
using namespace gimbal::simulate;

NestedMachine machine_of(std::uint32_t ranks, std::uint32_t threads) {
    return {.ranks = ranks,
            .threads = threads,
            .between = {.dispatch = 2000, .serial = 100, .own_dispatch = 20},
            .within = {.dispatch = 20, .serial = 5, .own_dispatch = 1},
            .team_barrier = 300};
}

/// A profile of costs that rise from 0 to 200 ticks.
CostProfile rising(std::uint64_t iterations) {
    ChunkCosts costs;
    costs.prepare(iterations, 128);
    for (std::uint64_t i = 0; i < iterations; ++i)
        costs.add({i, i + 1}, 200 * (static_cast<double>(i) + 0.5) / static_cast<double>(iterations));
    CostProfile profile;
    const ChunkCosts* const seen[] = {&costs};
    profile.learn(seen);
    return profile;
}

TEST(PairPrediction, IsWhatANestedExecutionOfTheProfileTakes) {
    const CostProfile profile = rising(8000);
    PairQuestion question;
    question.profile = &profile;
    question.iterations = 8000;
    question.machine = machine_of(4, 4);
    question.ranks = parse_portfolio("static fac2 tss ss");
    question.threads = parse_portfolio("static fac2 gss");
    question.incumbent = {1, 1};
    const Prediction prediction = predict_pairs(question);
    ASSERT_EQ(prediction.times.size(), 12U);
    EXPECT_GT(prediction.cost_s, 0);
    NestedLoop loop;
    const ProfiledWork work(profile, 8000);
    double least = INFINITY;
    for (std::size_t i = 0; i < 9; ++i) {
        const double time =
            loop.run({question.ranks[i / 3], question.threads[i % 3]}, {0, 8000}, work, question.machine).loop_time;
        least = std::min(least, time);
        if (std::isinf(prediction.times[i])) continue;
        EXPECT_NEAR(prediction.times[i], time, 0.01 * time);
    }
    EXPECT_NEAR(*std::min_element(prediction.times.begin(), prediction.times.end()), least, 0.01 * least);
    // Single self-scheduling over ranks is given up; the incumbent never is.
    for (std::size_t i = 9; i < 12; ++i) EXPECT_TRUE(std::isinf(prediction.times[i]));
    question.incumbent = {3, 0};
    EXPECT_TRUE(std::isfinite(predict_pairs(question).times[9]));
}

/// Costs of iterations as timed one by one, one in 16 of them heavy, or by their sums only but for the first ones.
FineCosts straying(std::uint64_t iterations, bool all) {
    FineCosts fine;
    fine.prepare(iterations);
    const auto cost = [](std::uint64_t i) { return random_bits(1, i) % 16 == 0 ? 900.0 : 40.0; };
    constexpr std::uint64_t kChunk = 40;
    for (std::uint64_t i = 0; i < iterations; i += kChunk) {
        double sum = 0;
        for (std::uint64_t k = i; k < i + kChunk; ++k) {
            if (all || i < iterations / 8) fine.add({k, k + 1}, cost(k));
            sum += cost(k);
        }
        if (!all && i >= iterations / 8) fine.add({i, i + kChunk}, sum);
    }
    return fine;
}

TEST(PairPrediction, IterationsThatStrayMakeShortTailsDearer) {
    const CostProfile profile = rising(8000);
    PairQuestion question;
    question.profile = &profile;
    question.iterations = 8000;
    question.machine = machine_of(4, 4);
    question.ranks = question.threads = parse_portfolio("fac2");
    const double smooth = predict_pairs(question).times[0];
    const FineCosts fine = straying(8000, false);
    question.fine = &fine;
    const double rough = predict_pairs(question).times[0];
    EXPECT_GT(rough, smooth);
    EXPECT_EQ(predict_pairs(question).times[0], rough);
}

TEST(PairPrediction, WhereHeavyIterationsAreKnownNothingIsLeftToChance) {
    const CostProfile profile = rising(8000);
    PairQuestion question;
    question.profile = &profile;
    question.iterations = 8000;
    question.machine = machine_of(4, 4);
    question.ranks = question.threads = parse_portfolio("static fac2");
    const FineCosts known = straying(8000, true);
    const FineCosts sums = straying(8000, false);
    const auto differs = [&](const FineCosts& fine) {
        question.fine = &fine;
        question.seed = 1;
        const std::vector<double> one = predict_pairs(question).times;
        question.seed = 2;
        return predict_pairs(question).times != one;
    };
    EXPECT_FALSE(differs(known));
    EXPECT_TRUE(differs(sums));
}

/// An experiment small enough for a test.
struct Small {
    Small() {
        application = make_application({.name = "triangular", .workers = 4, .iterations = 2000, .steps = 60});
        experiment.application = application.get();
        experiment.machine = machine_of(4, 4);
        experiment.machine.between.dispatch = 20000;
        experiment.ranks = experiment.threads = parse_portfolio("static fac2 gss ss");
        experiment.step_noise = 0.02;
        experiment.seed = 1;
    }
    std::unique_ptr<Application> application;
    PairExperiment experiment;
};

TEST(PairExperiment, NoFixedPairIsBetterThanTheBest) {
    Small small;
    PairTimes times(small.experiment);
    const double best = times.total(times.best_fixed());
    for (std::size_t i = 0; i < small.experiment.table().size(); ++i)
        EXPECT_GE(times.total(small.experiment.table().pair(i)), best);
}

TEST(PairExperiment, ALimitCostsWhatRanBeforeItAndTheRest) {
    Small small;
    PairTimes times(small.experiment);
    const Pair hopeless{3, 0};
    const Pair rest{1, 1};
    const double whole = times.outcome(hopeless, 0).loop_time;
    const double fallback = times.outcome(rest, 0).loop_time;
    ASSERT_GT(whole, 4 * fallback);
    const double stopped = times.stopped(hopeless, 2 * fallback, rest, 0);
    EXPECT_GE(stopped, 2 * fallback);
    EXPECT_LT(stopped, 3.5 * fallback);
    EXPECT_EQ(times.stopped(rest, 2 * fallback, rest, 0), fallback);
}

TEST(PairExperiment, TotalsAreSumsOfSteps) {
    Small small;
    PairTimes times(small.experiment);
    VirtualModel model(small.experiment, 0.02);
    Coordinator learner(small.experiment.table(), {1, 1},
                        [&](Pair pair, std::span<double> out) { return model.predict(pair, out); });
    const PairTotals totals = run_pairs(small.experiment, times, learner, &model);
    ASSERT_EQ(totals.times.size(), 60U);
    EXPECT_NEAR(std::accumulate(totals.times.begin(), totals.times.end(), 0.0), totals.total, 1e-6 * totals.total);
    EXPECT_EQ(std::accumulate(totals.steps.begin(), totals.steps.end(), std::uint64_t{0}), 60U);
    EXPECT_GT(totals.measuring, 0);
    EXPECT_GT(model.predictions(), 0U);
    for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(totals.steps[small.experiment.table().index({3, t})], 0U);
}

}  // namespace
