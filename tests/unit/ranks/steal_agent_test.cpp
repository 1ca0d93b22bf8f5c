// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/steal_agent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <latch>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gimbal/random.hpp"
#include "gimbal/rank_loop.h"
#include "report/steps.hpp"
#include "select/recording.hpp"

namespace gimbal {
namespace {

/// A loop that is the slower the farther the ratio is from `best`, with 2 % noise.
struct Landscape {
    double best;
    Random random{7};

    void run(StealAgent& agent) {
        const StealAgent::Step step = agent.choose();
        const double imbalance = std::abs(step.ratio - best) * (1 + 0.02 * random.unit());
        agent.learn(step.number, 1e-2 * (1 + imbalance), 1e-2 * (1 + imbalance), 1e-2);
    }
};

class Landscapes : public testing::TestWithParam<double> {};

TEST_P(Landscapes, TheBestRatioIsFoundByEveryPolicyAndReward) {
    for (const char* policy : {"explore-first", "epsilon-greedy", "softmax"})
        for (const char* reward : {"looptime", "loadimbalance", "stddev"}) {
            SelectorSettings settings;
            settings.policy = policy;
            settings.reward = reward;
            settings.gamma = 0.5;
            settings.tau = 0.5;
            settings.steal_ratios = 5;
            StealAgent agent(settings, 3);
            Landscape landscape{GetParam()};
            for (int step = 0; step < 600; ++step) landscape.run(agent);
            EXPECT_DOUBLE_EQ(agent.best(), GetParam()) << policy << " " << reward;
        }
}

INSTANTIATE_TEST_SUITE_P(Ratios, Landscapes, testing::Values(0.2, 0.6, 1.0));

TEST(StealAgent, WithTheDefaultsItSettlesOnTheBestOfTen) {
    StealAgent agent(SelectorSettings{}, 42);
    Landscape landscape{0.3};
    for (int step = 0; step < 600; ++step) landscape.run(agent);
    EXPECT_DOUBLE_EQ(agent.best(), 0.3);
}

TEST(StealAgent, ItTriesAsManyRatiosAsAskedFor) {
    SelectorSettings settings;
    settings.steal_ratios = 4;
    StealAgent agent(settings, 1);
    std::set<double> tried;
    for (int step = 0; step < 16; ++step) {
        const StealAgent::Step chosen = agent.choose();
        tried.insert(chosen.ratio);
        agent.learn(chosen.number, 1, 1, 1);
    }
    EXPECT_EQ(tried, (std::set<double>{0.25, 0.5, 0.75, 1}));
}

TEST(StealAgent, ExecutionsMayOverlapAndSomeShowNothing) {
    StealAgent agent(SelectorSettings{}, 1);
    EXPECT_FALSE(agent.learn(0, 1, 1, 1)) << "nobody chose";
    for (int i = 0; i < 1000; ++i) (void)agent.choose();
    for (std::uint64_t i = 0; i < 1000; ++i) agent.learn(i, i % 2 ? 1 : -1, 0, 0);
    const double ratio = agent.choose().ratio;
    EXPECT_GT(ratio, 0);
    EXPECT_LE(ratio, 1);
}

TEST(StealAgent, TwoLoopsOfOneNameTeachWhatTheyRan) {
    StealAgent agent(SelectorSettings{}, 1);
    const StealAgent::Step one = agent.choose(), other = agent.choose();
    const auto first_told = agent.learn(other.number, 1, 1, 1);
    ASSERT_TRUE(first_told);
    EXPECT_EQ(first_told->number, other.number);
    EXPECT_EQ(first_told->pick.action, other.pick.action);
    EXPECT_FALSE(agent.learn(other.number, 1, 1, 1)) << "it was told of";
    const auto then_told = agent.learn(one.number, 2, 1, 1);
    ASSERT_TRUE(then_told);
    EXPECT_EQ(then_told->number, one.number);
}

TEST(StealAgent, ThreadsOfLoopsOfOneNameShareIt) {
    void* const agent = gimbal_steal_agent("shared by threads", 4);
    std::vector<std::set<std::uint64_t>> steps(4);
    std::vector<std::thread> threads;
    std::latch all_there(4);
    for (auto& own : steps)
        threads.emplace_back([agent, &own, &all_there] {
            all_there.arrive_and_wait();
            for (int i = 0; i < 50000; ++i) {
                std::uint64_t step = 0;
                (void)gimbal_steal_choose(agent, &step);
                own.insert(step);
                gimbal_steal_learn(agent, step, 1, 1, 1);
            }
        });
    for (auto& thread : threads) thread.join();
    std::set<std::uint64_t> all;
    for (const auto& own : steps) all.insert(own.begin(), own.end());
    EXPECT_EQ(all.size(), 200000U);
    EXPECT_EQ(*all.rbegin(), 199999U);
}

TEST(StealAgent, WhatIsRecordedIsFollowedStepByStepAndNothingIsLearnt) {
    StealAgent agent(SelectorSettings{}, 1);
    std::string text(kStepsHeader);
    std::vector<double> chosen;
    for (int step = 0; step < 30; ++step) {
        const StealAgent::Step next = agent.choose();
        chosen.push_back(next.ratio);
        // One that shows nothing is a step, too.
        const auto told = agent.learn(next.number, step == 7 ? INFINITY : 1e-2, 2e-2, 1e-2);
        ASSERT_TRUE(told);
        EXPECT_EQ(told->number, static_cast<std::uint64_t>(step));
        EXPECT_EQ(told->ratio, chosen.back());
        EXPECT_EQ(told->thought.has_value(), step != 7);
        StepRow row;
        row.loop = "particles";
        row.workers = 4;
        row.step = told->number;
        row.steal_ratio = told->ratio;
        row.reason = "steal-ratio";
        append_step(text, row, 1e-9);
    }
    const Recording recording = Recording::parse(text);
    EXPECT_EQ(recording.find("particles", 4), nullptr);
    EXPECT_EQ(recording.find_ratios("particles", 2), nullptr);
    const std::vector<double>* const ratios = recording.find_ratios("particles", 4);
    ASSERT_NE(ratios, nullptr);
    EXPECT_EQ(*ratios, chosen);
    StealAgent again(SelectorSettings{}, 99, ratios);
    for (const double ratio : chosen) {
        const StealAgent::Step next = again.choose();
        EXPECT_EQ(next.ratio, ratio);
        EXPECT_FALSE(again.learn(next.number, 1, 1, 1)->thought);
    }
    EXPECT_EQ(again.choose().ratio, chosen.back()) << "the last one stays";
}

TEST(StealAgent, ALoopKeepsItsAgent) {
    void* const one = gimbal_steal_agent("particles", 4);
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(gimbal_steal_agent("particles", 4), one);
    EXPECT_NE(gimbal_steal_agent("cells", 4), one);
    EXPECT_NE(gimbal_steal_agent("particles", 2), one);
    std::uint64_t step = 1;
    const double ratio = gimbal_steal_choose(one, &step);
    EXPECT_TRUE(ratio > 0 && ratio <= 1);
    EXPECT_EQ(step, 0U);
    gimbal_steal_learn(one, step, 1, 1, 1);
}

}  // namespace
}  // namespace gimbal
