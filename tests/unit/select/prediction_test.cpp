// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/prediction.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "technique/least_chunk.hpp"

namespace {

using namespace gimbal;

constexpr std::uint64_t kIterations = 200000;
constexpr std::uint32_t kWorkers = 4;
constexpr double kTime = 20;  // of each iteration [ticks]

/// Of a loop whose iterations are cheaper than drawing one.
Prediction predicted(const Schedule& choice, LoopContext context) {
    std::vector<ChunkCosts> costs(kWorkers);
    std::vector<const ChunkCosts*> all;
    constexpr std::uint64_t kBlock = kIterations / kWorkers;
    for (std::uint64_t i = 0; i < kWorkers; ++i) {
        costs[i].prepare(kIterations, CostProfile::bins_for(kIterations, kWorkers));
        costs[i].add({kBlock * i, kBlock * (i + 1)}, kTime * kBlock);
        all.push_back(&costs[i]);
    }
    CostProfile profile;
    profile.learn(all);
    context.iterations = kIterations;
    context.workers = kWorkers;
    context.iteration_time = kTime;
    context.profile = &profile;
    return predict(Question(context, {choice}, 1));
}

double loop_time(std::string_view technique) {
    return predicted({find_technique(technique)}, {.dispatch = 50, .contention = 5}).times.front();
}

TEST(Prediction, TechniquesWithAMeasuredChunkArePredictedWithIt) {
    const double blocks = loop_time("static");
    EXPECT_LT(loop_time("static-steal"), 1.1 * blocks);
    EXPECT_LT(loop_time("ich"), 1.1 * blocks);
    EXPECT_GT(loop_time("ss"), 2 * blocks) << "nobody measures its chunk";
}

// It makes no step that is not worth its drawing, and has the dynamic share that the profile's errors ask for.
TEST(Prediction, FeedbackIsPredictedWithThePlanThatTheLoopWouldHave) {
    const Schedule feedback{find_technique("feedback")};
    LoopContext context{.dispatch = 20000, .contention = 5};
    const double unknown = predicted(feedback, context).times.front();
    context.timed_draw = 40000;
    const double known = predicted(feedback, context).times.front();
    EXPECT_LT(known, 0.95 * unknown);
    context.feedback_fraction = 0.5;
    const double half = predicted(feedback, context).times.front();
    EXPECT_GT(half, known) << "more is drawn by all";
    EXPECT_EQ(predicted({feedback.technique, 0, 0.5}, context).times.front(), half);
}

// With more than 256 workers some techniques are simulated with 256 that stand for all.
TEST(Prediction, InALargeTeamAPartStandsForAll) {
    for (const std::uint32_t workers : {256U, 1024U}) {
        const std::uint64_t iterations = std::uint64_t{workers} * 2000;
        std::vector<ChunkCosts> costs(1);
        costs[0].prepare(iterations, CostProfile::bins_for(iterations, workers));
        constexpr std::uint64_t kChunks = 4096;
        for (std::uint64_t k = 0; k < kChunks; ++k) {
            const Range chunk{iterations * k / kChunks, iterations * (k + 1) / kChunks};
            costs[0].add(chunk, 20000 * static_cast<double>(chunk.size() * k) / kChunks);
        }
        const ChunkCosts* const seen[] = {&costs[0]};
        CostProfile profile;
        profile.learn(seen);
        LoopContext context{.iterations = iterations, .workers = workers, .dispatch = 50, .contention = 1};
        context.iteration_time = profile.total() / static_cast<double>(iterations);
        context.profile = &profile;
        const double ideal = profile.total() / workers;
        for (const std::string_view name : {"af", "awf-c", "static-steal", "feedback"}) {
            const double time = predict(Question(context, {{find_technique(name)}}, 1)).times.front();
            EXPECT_GT(time, 0.98 * ideal) << name << ' ' << workers;
            EXPECT_LT(time, 1.1 * ideal) << name << ' ' << workers;
        }
    }
}

TEST(LeastChunk, IsAPowerOfTwoByWhichDrawingAndTheLastChunkCostTheLeastAndAtMostHalfAShare) {
    const TechniqueInfo& steal = find_technique("static-steal")->info();
    EXPECT_EQ(least_chunk(steal, 1'000'000, 4, {.dispatch = 50, .contention = 5, .iteration_time = 20}), 2048U) << 2500;
    EXPECT_EQ(least_chunk(steal, 1'000'000, 4, {.dispatch = 50, .contention = 1, .iteration_time = 20}), 1024U) << 1118;
    EXPECT_EQ(least_chunk(steal, 1'000'000, 4, {.dispatch = 50, .iteration_time = 2'000'000}), 2U) << 3.5;
    EXPECT_EQ(least_chunk(steal, 800, 4, {.dispatch = 50, .contention = 5, .iteration_time = 0.1}), 101U);
    EXPECT_EQ(least_chunk(steal, 1'000'000, 4, {}), 1024U) << "nothing is known: 128 to 256 for each worker";
    EXPECT_EQ(least_chunk(find_technique("static")->info(), 1'000'000, 4, {.dispatch = 50, .iteration_time = 1}), 0U);
    EXPECT_EQ(least_chunk(steal, UINT64_MAX, 1, {.dispatch = 1e30, .iteration_time = 1}), UINT64_MAX / 2 + 1);
}

TEST(LeastChunk, OfATechniqueWithStatisticsDrawsForAHundredthOfTheWork) {
    const TechniqueInfo& tap = find_technique("tap")->info();
    EXPECT_EQ(least_chunk(tap, 1'000'000, 4, {.dispatch = 50, .contention = 5, .iteration_time = 20}), 128U) << 250;
}

TEST(LeastChunk, ThatTeamsAskForHoldsForAllButBlocks) {
    for (const Technique* const technique : techniques()) {
        const bool blocks = technique->info().name == "static";
        EXPECT_EQ(asked_least(technique->info(), 10'000, 2, 32), blocks ? 0U : 32U) << technique->info().name;
        EXPECT_EQ(asked_least(technique->info(), 10'000, 2, 0), 0U);
    }
    EXPECT_EQ(asked_least(find_technique("ss")->info(), 40, 2, 32), 11U) << "two chunks a rank are not given up";
}

}  // namespace
