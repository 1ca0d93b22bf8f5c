// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/execution.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>

#include "gimbal/plan.hpp"
#include "gimbal/technique.hpp"

namespace {

using gimbal::Execution;

constexpr std::uint32_t kWorkers = 2;
constexpr std::uint64_t kIterations = 100;

/// An execution of a loop of some site, which is never asked for anything.
class Repeated {
public:
    explicit Repeated(double expected, std::uint32_t times = 5, double learning = 0)
        : execution_(reinterpret_cast<gimbal::LoopSite*>(this)) {
        const gimbal::Technique* const technique = gimbal::find_technique("static");
        gimbal::LoopShape shape;
        shape.iterations = kIterations;
        shape.workers = kWorkers;
        gimbal::ExecutionConfig config;
        config.schedule = {technique, 0};
        execution_.prepare(kWorkers, config, std::make_shared<const gimbal::Plan>(technique->plan(shape)));
        execution_.allow_repeats({.trip = kIterations}, times, expected, learning);
    }

    /// Workers that begin together and leave after these times [ticks]. @return whether it may run once more
    bool run(std::uint64_t first, std::uint64_t second) {
        std::array<gimbal_share, kWorkers> shares{};
        for (std::uint32_t worker = 0; worker < kWorkers; ++worker) execution_.begin(worker, shares[worker]);
        EXPECT_FALSE(execution_.end_after(shares[0], kBegin, first));
        EXPECT_TRUE(execution_.end_after(shares[1], kBegin, second));
        return execution_.repeat();
    }

    [[nodiscard]] std::uint32_t round() const { return execution_.round(); }

private:
    static constexpr std::uint64_t kBegin = 1'000'000;
    Execution execution_;
};

TEST(Execution, IsRepeatedAsOftenAsItMay) {
    Repeated execution(1000, 3);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(execution.run(1000, 990));
    EXPECT_FALSE(execution.run(1000, 990));
    EXPECT_EQ(execution.round(), 3U);
}

TEST(Execution, WhoTookMoreOrLessThanExpectedAndWaitedIsLearntFromAtOnce) {
    EXPECT_FALSE(Repeated(1000).run(1300, 900)) << "one had more to do";
    EXPECT_FALSE(Repeated(1000).run(600, 1000)) << "one had less to do";
    EXPECT_FALSE(Repeated(1000).run(900, 5000)) << "an interruption looks like that, too";
}

TEST(Execution, WhatIsAsExpectedOrInBalanceIsRepeated) {
    EXPECT_TRUE(Repeated(1000).run(820, 1200)) << "about as long as before: the last one was learnt from";
    EXPECT_TRUE(Repeated(1000).run(3000, 2900)) << "there is more to do, for all alike";
    EXPECT_TRUE(Repeated(1000).run(300, 290));
    EXPECT_TRUE(Repeated(0).run(300, 3000)) << "nothing was expected";
    EXPECT_TRUE(Repeated(1000, 5, 250).run(1300, 820)) << "learning would take as long as was waited";
}

TEST(Execution, OneThatWasOddAndInBalanceSaysNothingOfTheNext) {
    Repeated execution(1000);
    EXPECT_TRUE(execution.run(3000, 2950));
    EXPECT_TRUE(execution.run(1200, 820));
    EXPECT_FALSE(execution.run(1300, 820));
}

}  // namespace
