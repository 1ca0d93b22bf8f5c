// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/agent.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/warnings.hpp"
#include "learn/portfolio.hpp"
#include "scripted.hpp"
#include "select/agent.hpp"

namespace {

using gimbal::AgentSelector;
using gimbal::ChunkAgentSelector;
using gimbal::Decision;
using gimbal::find_technique;
using gimbal::learn::Parameters;
using gimbal::test::context_of;
using gimbal::test::name_of;
using gimbal::test::record_of;
using gimbal::test::step;

gimbal::PortfolioSelector::Setup setup(const char* portfolio) {
    return {.portfolio = gimbal::parse_portfolio(portfolio), .reason = "q", .skips_first = false};
}

/// gss is the fastest of three.
double time_of(const std::string& name) {
    return name == "gss" ? 1e-3 : name == "fac2" ? 2e-3 : 3e-3;
}

TEST(Agent, TriesEveryPairThenKeepsTheFastestWithAnyAgent) {
    using enum gimbal::learn::AgentKind;
    for (const auto kind : {q, double_q, qv, sarsa, expected_sarsa}) {
        Parameters parameters;
        parameters.agent = kind;
        AgentSelector selector(setup("static gss fac2"), parameters, 7);
        std::map<std::string, int> tried;
        std::string name;
        for (int i = 0; i < 60; ++i) {
            const Decision decision = selector.choose(context_of());
            name = name_of(decision);
            if (decision.exploring) ++tried[name];
            selector.learn(decision, record_of(time_of(name)), context_of());
        }
        EXPECT_EQ(name, "gss") << static_cast<int>(kind);
        EXPECT_EQ(tried, (std::map<std::string, int>{{"static", 3}, {"gss", 3}, {"fac2", 3}}));
    }
}

TEST(Agent, ItsThoughtIsOfTheStepThatItLearntFrom) {
    AgentSelector selector(setup("static gss fac2"), {}, 7);
    EXPECT_FALSE(selector.thought()) << "before the first";
    for (std::uint64_t i = 1; i <= 20; ++i) {
        const Decision decision = selector.choose(context_of());
        selector.learn(decision, record_of(time_of(name_of(decision))), context_of());
        const auto thought = selector.thought();
        ASSERT_TRUE(thought);
        EXPECT_EQ(thought->step, i);
        EXPECT_EQ(thought->action, decision.index);
        EXPECT_EQ(thought->state, decision.state);
        EXPECT_NEAR(thought->signal, time_of(name_of(decision)), 1e-9) << "seconds";
    }
}

TEST(Agent, UnderOverlapRewardsGoToTheChoiceThatRan) {
    Parameters parameters;
    AgentSelector selector(setup("static gss fac2"), parameters, 7);
    std::vector<Decision> open;
    std::string last;
    for (int i = 0; i < 90; ++i) {
        open.push_back(selector.choose(context_of()));
        last = name_of(open.back());
        if (open.size() < 3) continue;
        // The youngest first; the middle one of some is never heard of.
        selector.learn(open[2], record_of(time_of(name_of(open[2]))), context_of());
        if (i % 2 == 0) selector.learn(open[1], record_of(time_of(name_of(open[1]))), context_of());
        selector.learn(open[0], record_of(time_of(name_of(open[0]))), context_of());
        open.clear();
    }
    EXPECT_EQ(last, "gss");
}

TEST(Agent, MonotonicLoopsNeverGetOtherTechniques) {
    AgentSelector selector(setup("expert"), {}, 7);
    auto context = context_of();
    context.monotonic = true;
    for (int i = 0; i < 200; ++i)
        EXPECT_TRUE(step(selector, record_of(1e-3), context).schedule.technique->info().monotonic);
}

TEST(Agent, MomentsAreRewardedFromTheWorkersTimes) {
    Parameters parameters;
    parameters.reward = gimbal::learn::RewardKind::stddev;
    AgentSelector selector(setup("static gss"), parameters, 7);
    const std::vector<gimbal::WorkerRecord> workers = {
        {0, 1000, 1, 1}, {0, 2000, 1, 1}, {0, 2000, 1, 1}, {0, 3000, 1, 1}};
    gimbal::LoopRecord record = record_of(3e-3);
    record.workers = workers;
    step(selector, record);
    ASSERT_TRUE(selector.thought());
    EXPECT_NEAR(selector.thought()->signal, std::sqrt(0.5) * 1e-3, 1e-9);
}

TEST(Agent, WithoutCountersIpsIsIterationsPerSecondAndSaysSo) {
    Parameters parameters;
    parameters.reward = gimbal::learn::RewardKind::ips;
    AgentSelector selector(setup("static gss"), parameters, 7);
    step(selector, record_of(1e-3));
    bool said = false;
    for (const std::string& warning : gimbal::warnings()) said |= warning.find("ips") != std::string::npos;
    EXPECT_TRUE(said);
}

TEST(Agent, RewardsOfTheShapeOfTimesAreWarnedOf) {
    const auto warned = [](gimbal::learn::RewardKind reward, std::uint32_t workers) {
        Parameters parameters;
        parameters.reward = reward;
        AgentSelector selector(setup("static gss"), parameters, 7);
        gimbal::LoopContext context = context_of();
        context.workers = workers;
        step(selector, record_of(1e-3), context);
        return gimbal::warnings();
    };
    using enum gimbal::learn::RewardKind;
    const std::size_t before = warned(cov, 2).size();
    EXPECT_EQ(warned(stddev, 16).size(), before);
    EXPECT_NE(warned(skewness, 2).back().find("skewness is the same for every technique with 2 workers"),
              std::string::npos);
    EXPECT_NE(warned(kurtosis, 16).back().find("kurtosis measures the shape"), std::string::npos);
    EXPECT_EQ(warned(kurtosis, 16).size(), before + 2);
}

TEST(AgentSettings, EveryWordAndNumberArrives) {
    gimbal::SelectorSettings settings;
    settings.policy = "softmax";
    settings.reward = "cov";
    settings.init = "optimistic";
    settings.decay = "harmonic";
    settings.gamma = 0.1;
    settings.alpha = 0.2;
    settings.tau = 3;
    settings.rewards = {4, 2, 0};
    settings.steps_limit = 9;
    const Parameters parameters = gimbal::agent_parameters(settings, "expected-sarsa");
    EXPECT_EQ(parameters.agent, gimbal::learn::AgentKind::expected_sarsa);
    EXPECT_EQ(parameters.policy, gimbal::learn::PolicyKind::softmax);
    EXPECT_EQ(parameters.reward, gimbal::learn::RewardKind::cov);
    EXPECT_EQ(parameters.init, gimbal::learn::InitKind::optimistic);
    EXPECT_EQ(parameters.decay, gimbal::learn::DecayKind::harmonic);
    EXPECT_EQ(parameters.gamma, 0.1);
    EXPECT_EQ(parameters.alpha, 0.2);
    EXPECT_EQ(parameters.tau, 3);
    EXPECT_EQ(parameters.rewards, (std::array<double, 3>{4, 2, 0}));
    EXPECT_EQ(parameters.steps_limit, 9U);
}

TEST(ChunkAgent, ChoosesTheSeedsChunksForTheTechniqueThatWasNamed) {
    ChunkAgentSelector selector({find_technique("gss")}, {.reason = "chunk", .skips_first = false}, {}, 7);
    const auto chunks = gimbal::learn::chunk_portfolio(1000, 4);
    std::map<std::uint64_t, int> tried;
    Decision decision;
    for (int i = 0; i < 200; ++i) {
        decision = selector.choose(context_of());
        EXPECT_EQ(decision.schedule.technique, find_technique("gss"));
        if (decision.exploring) ++tried[decision.schedule.chunk];
        selector.learn(decision, record_of(decision.schedule.chunk == 31 ? 1e-3 : 2e-3), context_of());
    }
    EXPECT_EQ(tried.size(), chunks.size());
    for (const std::uint64_t chunk : chunks) EXPECT_EQ(tried.count(chunk), 1U) << chunk;
    EXPECT_EQ(decision.schedule.chunk, 31U) << "1000 / 32, the fastest";
}

TEST(ChunkAgent, CutsAnewWhenTheLoopChangesByMoreThanAFactorOfTwo) {
    ChunkAgentSelector selector({find_technique("ss")}, {.reason = "chunk", .skips_first = false}, {}, 7);
    EXPECT_LE(selector.choose(context_of(1000)).schedule.chunk, 250U);
    for (int i = 0; i < 50; ++i) {
        for (const std::uint64_t n : {1000U, 2000U, 500U}) {
            const Decision decision = selector.choose(context_of(n));
            EXPECT_EQ(decision.schedule.chunk, 1000U / 4 >> decision.index) << "up to a factor of two chunks stay";
        }
    }
    const Decision longer = selector.choose(context_of(4000));
    EXPECT_EQ(longer.schedule.chunk, 4000U / 4 >> longer.index);
    const Decision same = selector.choose(context_of(3000));
    EXPECT_EQ(same.schedule.chunk, 4000U / 4 >> same.index);
    EXPECT_GE(selector.choose(context_of(2)).schedule.chunk, 1U);
}

}  // namespace
