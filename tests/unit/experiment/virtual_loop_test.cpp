// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/virtual_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "experiment/experiment.hpp"
#include "select/fixed.hpp"
#include "virtual_run.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;
using namespace gimbal_test;

/// Alternates between two techniques and keeps what it was taught.
class Alternating final : public Selector {
public:
    explicit Alternating(std::vector<double>& learnt) : model_(&learnt) {}

    [[nodiscard]] Decision choose(const LoopContext& context) override {
        dispatch = context.dispatch;
        Decision decision{{&named(++asked_ % 2 ? "static" : "ss")}, "in turn"};
        return decision;
    }
    void learn(const Decision& /*decision*/, const LoopRecord& record, const LoopContext& /*context*/) override {
        model_->push_back(record.loop_time);
    }

    double dispatch = 0;

private:
    std::vector<double>* model_;
    int asked_ = 0;
};

TEST(VirtualLoop, ASelectorDecidesAndLearnsFromVirtualTime) {
    std::vector<double> learnt;
    auto selector = std::make_unique<Alternating>(learnt);
    const Alternating& seen = *selector;
    VirtualLoop loop("loop", 2, 1, std::move(selector));
    const ListedWork work(std::vector<double>{100, 100, 300, 300});
    const Machine machine{.dispatch = 10};
    const Request request{.trip = 4};
    EXPECT_EQ(loop.run(request, work, machine).loop_time, 600);  // static: the second block
    // ss: 110, 110, then 310 each, and a last draw.
    const StepRow step = loop.run(request, work, machine);
    EXPECT_EQ(step.loop_time, 430);
    EXPECT_EQ(step.step, 1U);
    EXPECT_EQ(step.chunks, 4U);
    EXPECT_EQ(step.reason, "in turn");
    EXPECT_EQ(learnt, (std::vector<double>{600, 430}));
    EXPECT_EQ(seen.dispatch, 10);
}

TEST(VirtualLoop, ANamedTechniqueTeachesNoSelector) {
    std::vector<double> learnt;
    VirtualLoop loop("loop", 2, 1, std::make_unique<Alternating>(learnt));
    const ListedWork work(std::vector<double>(100, 10));
    const StepRow step = loop.run({.trip = 100, .schedule = {&named("gss")}, .reason = "named"}, work, {});
    EXPECT_EQ(step.schedule.technique, &named("gss"));
    EXPECT_EQ(step.iterations, 100U);
    EXPECT_TRUE(learnt.empty());
    EXPECT_EQ(loop.learning().totals().calls, 1U);
}

// The fraction that noise alone calls for: measured on the virtual machine, not on this one.
double noise_fraction(const Machine& machine) {
    VirtualLoop loop("loop", 4);
    const ListedWork work(std::vector<double>(1000, 1000));
    for (int i = 0; i < 20; ++i)
        (void)loop.run({.trip = 1000, .schedule = {&named("lws-noise")}, .reason = "named"}, work, machine);
    return loop.learning().last_setting().fraction;
}

TEST(VirtualLoop, NoiseIsThatOfTheVirtualMachine) {
    EXPECT_EQ(noise_fraction({.dispatch = 10}), 1);
    const double often = noise_fraction({.dispatch = 10, .interruptions = 2e-6, .interruption = 25e3, .seed = 1});
    EXPECT_LT(often, 0.95);
    EXPECT_GT(often, 0.3);
}

struct Sums {
    double loop_time = 0;
    double ideal = 0;
};

Sums run(std::string_view application, std::string_view technique, std::uint32_t workers,
         const Disturbances& disturbances = {}) {
    ApplicationRequest wanted = parse_application(application);
    wanted.workers = workers;
    wanted.steps = 200;
    const std::unique_ptr<Application> made = make_application(std::move(wanted));
    Experiment experiment{.application = made.get(), .costs = drawing_costs(false), .disturbances = disturbances};
    experiment.request.schedule.technique = &named(technique);
    Sums sums;
    run_experiment(experiment, [&](const ExperimentStep& seen) {
        sums.loop_time += seen.step->loop_time;
        sums.ideal += seen.ideal;
    });
    return sums;
}

TEST(VirtualLoop, FeedbackLearnsTheProfileOfAMovingBump) {
    const Sums two = run("bump", "feedback", 2);
    EXPECT_LT(two.loop_time, 1.01 * two.ideal);
    const Sums many = run("bump", "feedback", 16);
    EXPECT_LT(many.loop_time, 1.03 * many.ideal);
    EXPECT_GT(run("bump", "static", 16).loop_time, 2 * many.ideal);
}

std::vector<double> steps_of(std::string_view application, std::string_view technique, std::uint32_t workers) {
    ApplicationRequest wanted = parse_application(application);
    wanted.workers = workers;
    wanted.steps = 90;
    const std::unique_ptr<Application> made = make_application(std::move(wanted));
    Experiment experiment{.application = made.get(), .costs = drawing_costs(false)};
    experiment.request.schedule.technique = &named(technique);
    std::vector<double> steps;
    run_experiment(experiment, [&](const ExperimentStep& seen) { steps.push_back(seen.step->loop_time); });
    return steps;
}

// Without anything to steal it was 3 to 19 times static-steal's.
TEST(VirtualLoop, TheStepInWhichCostsJumpTakesFeedbackNoLongerThanStealingAlone) {
    for (const std::uint32_t workers : {8U, 256U}) {
        const std::vector<double> feedback = steps_of("jump:every=40", "feedback", workers);
        const std::vector<double> steal = steps_of("jump:every=40", "static-steal", workers);
        for (const std::size_t step : {40U, 80U}) EXPECT_LT(feedback[step], 1.1 * steal[step]) << workers;
    }
}

// Without anything to steal 1.23 and 2.5 times static-steal's.
TEST(VirtualLoop, CostsByChanceTakeFeedbackLittleLongerThanStealingAlone) {
    for (const std::uint32_t workers : {8U, 32U}) {
        const Sums feedback = run("random", "feedback", workers);
        EXPECT_LT(feedback.loop_time, 1.05 * run("random", "static-steal", workers).loop_time) << workers;
    }
}

TEST(VirtualLoop, WeightsOfSpreadSpeedsAreLearnt) {
    const Sums weighted = run("uniform", "awf", 8, {.spread = 0.5});
    EXPECT_LT(weighted.loop_time, 1.01 * weighted.ideal);
    const Sums fixed = run("uniform", "static", 8, {.spread = 0.5});
    EXPECT_GT(fixed.loop_time, 1.5 * fixed.ideal);
}

TEST(VirtualLoop, AnExperimentRepeatsToTheTick) {
    const Disturbances noisy{
        .worker_noise = 0.05, .chunk_noise = 0.1, .interruptions_per_s = 10, .interruption_us = 100};
    EXPECT_EQ(run("flip", "af", 8, noisy).loop_time, run("flip", "af", 8, noisy).loop_time);
    EXPECT_EQ(run("flip", "feedback", 8, noisy).loop_time, run("flip", "feedback", 8, noisy).loop_time);
}

TEST(VirtualLoop, EveryTechniqueMeetsTheSameWorkers) {
    const Disturbances noisy{.worker_noise = 0.05};
    EXPECT_EQ(run("uniform", "static", 8, noisy).ideal, run("uniform", "ss", 8, noisy).ideal);
}

TEST(VirtualLoop, SingleIterationsOfTheSeedsPiSolverTakeTheSeedsTime) {
    ApplicationRequest wanted = parse_application("pisolver:imbalance=30");
    wanted.steps = 10;
    const std::unique_ptr<Application> made = make_application(std::move(wanted));
    Experiment experiment{.application = made.get(), .costs = drawing_costs(made->ranks)};
    experiment.request.schedule.technique = &named("ss");
    double time = 0;
    run_experiment(experiment, [&](const ExperimentStep& seen) { time += seen.step->loop_time * 1e-9; });
    EXPECT_NEAR(time * 150, 818, 3);  // seconds for 1500 steps, table 5.3 of seed 000
}

}  // namespace
