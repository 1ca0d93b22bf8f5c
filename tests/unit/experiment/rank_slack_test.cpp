// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/rank_slack.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "lightweight/slack.hpp"
#include "virtual_run.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;
using namespace gimbal_test;

constexpr double kFraction = 0.5;

/// Eight ranks of four threads, draws of 1 us; a static fraction that is named, so that nothing is searched for.
struct Job {
    explicit Job(std::string_view technique = "usched", std::uint64_t steps = 60) {
        ApplicationRequest wanted = parse_application("uniform:cost_us=10");
        wanted.workers = 4;
        wanted.iterations = 400;
        wanted.steps = steps;
        application = make_application(std::move(wanted));
        experiment.process = {.application = application.get(),
                              .costs = drawing_costs(false),
                              .request = {.schedule = {.technique = &named(technique), .chunk = 1}},
                              .learning = kFreeLearning,
                              .seed = 1};
        experiment.process.costs.dispatch = 1000;
        experiment.process.costs.serial = 100;
        experiment.process.request.schedule.fraction = kFraction;
        experiment.ranks = 8;
    }

    [[nodiscard]] RankSlackTotals run(bool slack) {
        experiment.rule = slack ? SlackRule::trusted : SlackRule::none;
        return run_rank_slack(experiment);
    }

    std::unique_ptr<Application> application;
    RankSlackExperiment experiment;
};

TEST(RankSlack, EqualRanksWithoutNoiseHaveNone) {
    for (const std::string_view technique : {"usched", "vsched"}) {
        Job job(technique);
        const RankSlackTotals base = job.run(false);
        const RankSlackTotals told = job.run(true);
        EXPECT_EQ(told.total, base.total) << technique;
        EXPECT_EQ(told.predicted, 0U) << technique;
        EXPECT_EQ(told.used_fraction, kFraction) << technique;
        EXPECT_EQ(told.tail_waiting, 0) << technique;
    }
}

TEST(RankSlack, TheRankThatIsAlwaysLastHasNoneAndTheOthersUseTheirs) {
    for (const std::string_view technique : {"usched", "vsched"}) {
        Job job(technique);
        job.experiment.rank_spread = 0.2;
        const RankSlackTotals base = job.run(false);
        const RankSlackTotals told = job.run(true);
        EXPECT_EQ(told.executions, 8U * 30) << technique;
        EXPECT_EQ(told.predicted, 7U * 30) << technique;
        EXPECT_EQ(told.last, 0U) << technique;
        EXPECT_EQ(told.over, 0U) << technique;
        EXPECT_GT(told.used_fraction, kFraction + 0.1) << technique;
        EXPECT_EQ(told.base_fraction, kFraction) << technique;
        EXPECT_GT(told.tail_saved, 0) << technique;
        // Who is last decides how long it takes, and is the same.
        EXPECT_EQ(told.total, base.total) << technique;
    }
}

TEST(RankSlack, TheDynamicFractionDoesNotShrinkFromStepToStep) {
    double earlier = 0;
    for (const std::uint64_t steps : {60U, 120U, 480U}) {
        Job job("usched", steps);
        job.experiment.rank_spread = 0.1;
        const double used = job.run(true).used_fraction;
        EXPECT_GT(used, kFraction);
        EXPECT_LT(used, 0.9);
        if (earlier > 0) {
            EXPECT_NEAR(used, earlier, 1e-3) << steps;  // the mean time of an iteration is still being learnt
        }
        earlier = used;
    }
}

// What a call takes after the last arrival is no slack, but the published rule takes it for some: all save dequeues.
TEST(RankSlack, ThePublishedRuleTakesTheWholeCallForSlack) {
    Job job;
    job.experiment.collective = 200e3;
    const RankSlackTotals base = job.run(false);
    EXPECT_EQ(job.run(true).total, base.total);
    job.experiment.rule = SlackRule::published;
    const RankSlackTotals published = run_rank_slack(job.experiment);
    EXPECT_EQ(published.predicted, published.executions);
    EXPECT_NEAR(published.used_fraction, kFraction + 0.2, 0.02);  // of the 1 ms that an execution takes
    EXPECT_LT(published.tail, base.tail);
    EXPECT_LE(base.tail - published.tail, published.tail_saved * 1.1);
    job.experiment.collective = 99e3;
    EXPECT_EQ(run_rank_slack(job.experiment).predicted, 0U) << "below the threshold";
}

TEST(RankSlack, TechniquesThatDoNotUseItAreAsTheyWere) {
    for (const std::string_view technique : {"static", "ss", "lws"}) {
        Job job(technique);
        job.experiment.rank_spread = 0.2;
        const RankSlackTotals told = job.run(true);
        EXPECT_EQ(told.total, job.run(false).total) << technique;
        EXPECT_GT(told.tail_waiting, 0) << technique;
    }
}

TEST(RankSlack, NobodyIsToldOfItAfterwards) {
    Job job;
    job.experiment.rank_spread = 0.2;
    EXPECT_GT(job.run(true).predicted, 0U);
    const RegionModel region{.iterations = 400, .workers = 4, .iteration_time = 1e4, .dequeue = 1000};
    EXPECT_EQ(slack_adjusted_fraction(kFraction, region, SlackForm::tight), kFraction);
}

TEST(RankSlack, TheCollectiveCallComesOnTop) {
    Job job;
    const double before = job.run(false).total;
    job.experiment.collective = 500;
    EXPECT_DOUBLE_EQ(job.run(false).total, before + 60 * 500);
}

TEST(RankSlack, EveryRankHasNoiseOfItsOwn) {
    Job job("static");
    job.experiment.process.disturbances.worker_noise = 0.05;
    EXPECT_GT(job.run(false).tail_waiting, 0);
    Job steps("static");
    steps.experiment.rank_noise = 0.05;
    EXPECT_GT(steps.run(false).tail_waiting, 0);
}

}  // namespace
