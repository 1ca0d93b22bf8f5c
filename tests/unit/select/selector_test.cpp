// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/selector.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "gimbal/options.hpp"
#include "scripted.hpp"

namespace {

using gimbal::Decision;
using gimbal::make_selector;
using gimbal::Selector;
using gimbal::test::context_of;
using gimbal::test::name_of;
using gimbal::test::record_of;
using gimbal::test::step;

constexpr std::string_view kNames[] = {"fixed", "random",   "exhaustive", "binary",         "expert", "rl",  "q",
                                       "sarsa", "double-q", "qv",         "expected-sarsa", "r",      "dqn", "linear-q",
                                       "chunk", "simulate", "auto"};

std::string sequence(std::string_view name, std::string_view loop) {
    const auto selector = make_selector(name, loop, 4);
    std::string names;
    for (int i = 0; i < 60; ++i) names += name_of(step(*selector, record_of(1e-3, i % 7))) + " ";
    return names;
}

TEST(MakeSelector, EveryNameHasOneThatAlwaysChooses) {
    for (const std::string_view name : kNames) {
        const auto selector = make_selector(name, "l", 4);
        ASSERT_NE(selector, nullptr) << name;
        for (const std::uint64_t n : {0U, 1U, 1000U, 0U, 3U, 100000U, 7U}) {
            for (const std::uint32_t workers : {4U, 1U}) {
                const auto context = context_of(n, workers);
                const Decision decision = step(*selector, record_of(1e-3, 5, context), context);
                ASSERT_NE(decision.schedule.technique, nullptr) << name;
                EXPECT_FALSE(decision.reason.empty()) << name;
            }
        }
    }
}

TEST(MakeSelector, TheChunkAgentKeepsTheFractionThatWasNamedWithItsTechnique) {
    gimbal::SelectorSettings settings;
    settings.name = "chunk";
    settings.schedule = gimbal::parse_schedule("lws,0.8");
    const auto selector = make_selector({}, "l", 4, settings);
    for (int i = 0; i < 20; ++i) {
        const Decision decision = step(*selector, record_of(1e-3));
        EXPECT_EQ(decision.schedule.technique->info().name, "lws");
        EXPECT_EQ(decision.schedule.fraction, 0.8);
        EXPECT_GT(decision.schedule.chunk, 0U);
    }
}

TEST(MakeSelector, MonotonicLoopsNeverGetOtherTechniquesFromAnyone) {
    for (const std::string_view name : kNames) {
        const auto selector = make_selector(name, "l", 4);
        auto context = context_of();
        context.monotonic = true;
        for (int i = 0; i < 50; ++i) {
            const Decision decision = step(*selector, record_of(1e-3, 5, context), context);
            EXPECT_TRUE(decision.schedule.technique->info().monotonic) << name << ' ' << name_of(decision);
        }
    }
}

TEST(MakeSelector, ExecutionsThatNothingIsHeardOfAreNoTrouble) {
    for (const std::string_view name : kNames) {
        const auto selector = make_selector(name, "l", 4);
        for (int i = 0; i < 100; ++i) EXPECT_NE(selector->choose(context_of()).schedule.technique, nullptr) << name;
        Decision last = selector->choose(context_of());
        for (int i = 0; i < 3; ++i) {
            if (!last.named) selector->learn(last, record_of(1e-3), context_of());
        }
    }
}

TEST(MakeSelector, RunsRepeatAndLoopsDiffer) {
    for (const std::string_view name : {"random", "double-q"}) {
        EXPECT_EQ(sequence(name, "a.c:1 f"), sequence(name, "a.c:1 f"));
    }
    std::set<std::string> different;
    for (const std::string_view loop : {"a.c:1 f", "a.c:2 f", "a.c:3 f"}) different.insert(sequence("random", loop));
    EXPECT_EQ(different.size(), 3U);
}

TEST(MakeSelector, TheReasonIsTheAgentsName) {
    EXPECT_EQ(make_selector("sarsa", "l", 4)->choose(context_of()).reason, "sarsa");
    EXPECT_EQ(make_selector("chunk", "l", 4)->choose(context_of()).reason, "chunk");
    EXPECT_EQ(make_selector("binary", "l", 4)->choose(context_of()).reason, "binary");
}

TEST(MakeSelector, UnknownNamesAreAsConfigured) {
    const std::string_view configured = make_selector({}, "l", 4)->choose(context_of()).reason;
    EXPECT_EQ(make_selector("no-such", "l", 4)->choose(context_of()).reason, configured);
}

TEST(MakeSelector, SettingsOfALevelCountInPlaceOfTheThreads) {
    gimbal::SelectorSettings settings;
    settings.name = "fixed";
    settings.schedule = gimbal::parse_schedule("gss,4");
    settings.schedule_from = "GIMBAL_MPI_SCHEDULE";
    const Decision fixed = make_selector({}, "l", 4, settings)->choose(context_of());
    EXPECT_EQ(fixed.schedule.technique->info().name, "gss");
    EXPECT_EQ(fixed.schedule.chunk, 4U);
    EXPECT_EQ(fixed.reason, "GIMBAL_MPI_SCHEDULE");
    settings.name = "rl";
    settings.agent = "sarsa";
    EXPECT_EQ(make_selector({}, "l", 4, settings)->choose(context_of()).reason, "sarsa");
    settings.agent = "chunk";
    EXPECT_EQ(make_selector({}, "l", 4, settings)->choose(context_of()).schedule.technique->info().name, "gss");
}

}  // namespace
