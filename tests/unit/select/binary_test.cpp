// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/binary.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "scripted.hpp"

namespace {

using gimbal::BinarySelector;
using gimbal::Decision;
using gimbal::expert_portfolio;
using gimbal::test::context_of;
using gimbal::test::place_of;
using gimbal::test::record_of;
using gimbal::test::step;

class Binary : public testing::Test {
protected:
    Binary() { step(selector, record_of(1)); }  // the execution that does not count

    std::size_t run(double time_s, double imbalance) {
        return place_of(step(selector, record_of(time_s, imbalance)), expert_portfolio());
    }

    BinarySelector selector{{.portfolio = expert_portfolio(), .reason = "binary"}};
};

TEST_F(Binary, HalvesItsStepsRightWhenWorseAndLeftWhenNotAndEndsAtTheBestSeen) {
    EXPECT_EQ(run(5, 20), 0U);   // right by 12: the last
    EXPECT_EQ(run(2, 10), 11U);  // better: left by 6
    EXPECT_EQ(run(4, 15), 5U);   // worse: right by 3
    EXPECT_EQ(run(3, 12), 8U);   // better: left by 1
    EXPECT_EQ(run(3.5, 14), 7U);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(run(2, 10), 11U) << "not where it ended";
}

TEST_F(Binary, AStepThatLeadsNowhereIsNotRunAgain) {
    EXPECT_EQ(run(5, 10), 0U);
    EXPECT_EQ(run(4, 20), 11U);  // worse, and nothing is right of the last, however short the step
    for (int i = 0; i < 5; ++i) EXPECT_EQ(run(4, 20), 11U);
}

TEST_F(Binary, SearchesAgainWithoutTheTimesOfBefore) {
    for (const double lb : {20, 10, 5, 4, 3}) run(lb, lb);
    const std::size_t best = run(3, 3);
    EXPECT_EQ(run(3, 14), best);
    EXPECT_EQ(run(3, 14), best);
    EXPECT_EQ(run(50, 50), 0U) << "from the beginning";
    EXPECT_EQ(run(40, 60), 11U);
}

TEST_F(Binary, ExecutionsThatOverlapRepeatAChoiceAndTheirResultsCountForIt) {
    std::vector<Decision> open;
    for (int i = 0; i < 3; ++i) open.push_back(selector.choose(context_of()));
    for (const Decision& decision : open) EXPECT_EQ(place_of(decision, expert_portfolio()), 0U);
    selector.learn(open[1], record_of(5, 20), context_of());
    const Decision next = selector.choose(context_of());
    EXPECT_EQ(place_of(next, expert_portfolio()), 11U);
    selector.learn(open[0], record_of(1, 90), context_of());
    EXPECT_EQ(place_of(selector.choose(context_of()), expert_portfolio()), 11U) << "a late one leads nowhere";
    for (int i = 0; i < 12; ++i) run(6, 10);
    EXPECT_EQ(run(6, 10), 0U) << "but it was the fastest";
}

TEST_F(Binary, EveryPortfolioIsEndedFromEveryScript) {
    for (const char* text : {"gss", "gss ss", "static gss af", "seed"}) {
        const gimbal::Portfolio portfolio = gimbal::parse_portfolio(text);
        for (unsigned script = 0; script < 64; ++script) {
            BinarySelector each({.portfolio = portfolio, .reason = "binary"});
            Decision last;
            for (unsigned i = 0; i < 20; ++i) {
                last = step(each, record_of(1 + i, (script >> (i % 6)) & 1U ? 20.0 - i : 0.1 * i));
                ASSERT_LT(place_of(last, portfolio), portfolio.size());
            }
            EXPECT_EQ(place_of(last, portfolio), 0U) << "times rise, so the first one stays";
        }
    }
}

}  // namespace
