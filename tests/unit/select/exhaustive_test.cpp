// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/exhaustive.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "scripted.hpp"

namespace {

using gimbal::Decision;
using gimbal::ExhaustiveSelector;
using gimbal::seed_portfolio;
using gimbal::test::context_of;
using gimbal::test::place_of;
using gimbal::test::record_of;
using gimbal::test::step;

constexpr std::size_t kCount = 12;

/// Schedule i takes 1 + |i - best| ms.
double time_of(std::size_t place, std::size_t best) {
    return 1e-3 * (1 + std::abs(static_cast<double>(place) - static_cast<double>(best)));
}

class Exhaustive : public testing::Test {
protected:
    Exhaustive() { step(selector, record_of(1)); }  // the execution that does not count

    std::size_t run(std::size_t best, double imbalance = 5) {
        const Decision decision = selector.choose(context_of());
        const std::size_t place = place_of(decision, seed_portfolio());
        selector.learn(decision, record_of(time_of(place, best), imbalance), context_of());
        return place;
    }

    ExhaustiveSelector selector{{.portfolio = seed_portfolio(), .reason = "exhaustive"}};
};

TEST_F(Exhaustive, TriesEachOnceInOrderAndKeepsTheFastest) {
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(run(7), i);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(run(7), 7U);
}

TEST_F(Exhaustive, SearchesAgainOnceTheImbalanceHasRisenByMoreThanTenPoints) {
    for (std::size_t i = 0; i < kCount; ++i) run(7, 5);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(run(7, 14.9), 7U) << "less than ten points";
    EXPECT_EQ(run(7, 16), 7U);
    EXPECT_EQ(run(7, 5), 7U) << "a single one is no change";
    EXPECT_EQ(run(7, 16), 7U);
    EXPECT_EQ(run(7, 16), 7U);
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(run(3, 30), i) << "the times of before do not count";
    for (int i = 0; i < 20; ++i) EXPECT_EQ(run(3, 30), 3U);
}

TEST_F(Exhaustive, LongerLoopsAreComparedPerIteration) {
    for (std::size_t i = 0; i < kCount; ++i) {
        const auto context = context_of(1000 * (i + 1));
        const Decision decision = selector.choose(context);
        // Later choices get more to do; the ninth does its iterations fastest.
        const double per_iteration = i == 9 ? 0.9e-6 : 1e-6;
        selector.learn(decision, record_of(per_iteration * 1000 * static_cast<double>(i + 1), 0, context), context);
    }
    EXPECT_EQ(run(9), 9U);
}

TEST_F(Exhaustive, ResultsCountForTheChoiceThatRanInWhateverOrderTheyCome) {
    std::vector<Decision> open;
    for (std::size_t i = 0; i < kCount; ++i) open.push_back(selector.choose(context_of()));
    for (std::size_t i = kCount; i-- > 0;) {
        const std::size_t place = place_of(open[i], seed_portfolio());
        EXPECT_EQ(place, i);
        selector.learn(open[i], record_of(time_of(place, 4)), context_of());
    }
    EXPECT_EQ(run(4), 4U);
}

TEST_F(Exhaustive, AChoiceThatNothingIsHeardOfIsGivenUpAfterThreeTries) {
    int lost = 0;
    for (int i = 0; i < 100; ++i) {
        const Decision decision = selector.choose(context_of());
        const std::size_t place = place_of(decision, seed_portfolio());
        if (place == 2) {
            ++lost;
        } else {
            selector.learn(decision, record_of(time_of(place, 2)), context_of());
        }
    }
    EXPECT_EQ(lost, 3);
    EXPECT_EQ(run(1), 1U) << "the first of those as near to the fastest as can be";
}

TEST_F(Exhaustive, ExecutionsWithNothingToDoCostNoTry) {
    for (std::size_t i = 0; i < kCount; ++i) {
        for (const std::uint64_t n : {0U, 1U}) {
            const Decision decision = selector.choose(context_of(n));
            EXPECT_TRUE(decision.named);
            EXPECT_NE(decision.schedule.technique, nullptr);
        }
        EXPECT_EQ(run(7), i);
    }
}

TEST_F(Exhaustive, OneWorkerAndOneChoiceAreServed) {
    ExhaustiveSelector alone{{.portfolio = gimbal::parse_portfolio("gss"), .reason = "exhaustive"}};
    const auto context = context_of(1000, 1);
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(gimbal::test::name_of(step(alone, record_of(1e-3, 0, context), context)), "gss");
}

TEST(PortfolioSelector, MonotonicLoopsNeverGetOtherTechniques) {
    ExhaustiveSelector selector{{.portfolio = gimbal::expert_portfolio(), .reason = "exhaustive"}};
    auto context = context_of();
    context.monotonic = true;
    for (int i = 0; i < 40; ++i) {
        const Decision decision = step(selector, record_of(1e-3, i), context);
        EXPECT_TRUE(decision.schedule.technique->info().monotonic) << gimbal::test::name_of(decision);
        EXPECT_FALSE(i > 1 && i < 12 && !decision.exploring) << "eleven to try";
    }
}

TEST(PortfolioSelector, GoldenChunksFollowTheLengthOfTheLoop) {
    ExhaustiveSelector selector{
        {.portfolio = gimbal::parse_portfolio("gss fac2,3"), .golden_chunk = true, .reason = "exhaustive"}};
    step(selector, record_of(1));
    EXPECT_EQ(step(selector, record_of(1), context_of(16000, 16)).schedule.chunk, 7U);
    EXPECT_EQ(step(selector, record_of(2), context_of(16000, 16)).schedule.chunk, 3U);
    EXPECT_EQ(selector.choose(context_of(32, 16)).schedule.chunk, 1U);
}

}  // namespace
