// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/plain_learners.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gimbal/error.hpp"
#include "select/exhaustive.hpp"
#include "select/fixed.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::levels;

constexpr PairTable kTable{3, 4};

/// The best pair is (2, 1).
double time_of(Pair pair) {
    return 100 + 10.0 * (2 - pair.ranks) + (pair.threads == 1 ? 0 : 5);
}

PairTurn step(PairLearner& learner) {
    const PairTurn turn = learner.next();
    learner.learn(turn, {.time = time_of(turn.pair), .iterations = 100});
    return turn;
}

TEST(JointLearner, RunsEveryPairOnceAndThenTheFastest) {
    JointLearner learner(kTable);
    std::set<std::size_t> ran;
    for (std::size_t i = 0; i < kTable.size(); ++i) ran.insert(kTable.index(step(learner).pair));
    EXPECT_EQ(ran.size(), kTable.size());
    for (int i = 0; i < 5; ++i) EXPECT_EQ(step(learner).pair, (Pair{2, 1}));
}

TEST(AlternateLearner, MovesOneLevelWhileTheOtherStandsStill) {
    AlternateLearner learner(kTable, {0, 0});
    for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(step(learner).pair, (Pair{i, 0}));
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(step(learner).pair, (Pair{2, i}));
    for (int i = 0; i < 7; ++i) step(learner);
    const PairTurn turn = step(learner);
    EXPECT_EQ(turn.pair, (Pair{2, 1}));
    EXPECT_FALSE(turn.trial);
}

IndependentLearner::Side side_of(const Portfolio& portfolio, std::unique_ptr<Selector> selector) {
    IndependentLearner::Side side;
    side.selector = std::move(selector);
    side.portfolio = portfolio;
    side.context.iterations = 100;
    side.context.workers = 4;
    return side;
}

TEST(IndependentLearner, BothLevelsMoveAtOnce) {
    const Portfolio portfolio = parse_portfolio("static ss fac2");
    const auto exhaustive = [&] {
        return std::make_unique<ExhaustiveSelector>(PortfolioSelector::Setup{.portfolio = portfolio, .reason = "test"});
    };
    IndependentLearner learner(side_of(portfolio, exhaustive()), side_of(portfolio, exhaustive()));
    bool both = false;
    Pair last = step(learner).pair;
    for (int i = 0; i < 6; ++i) {
        const Pair pair = step(learner).pair;
        both = both || (pair.ranks != last.ranks && pair.threads != last.threads);
        last = pair;
    }
    EXPECT_TRUE(both);
}

TEST(IndependentLearner, ASelectorThatChoosesOutsideOfThePortfolioIsRefused) {
    const Portfolio portfolio = parse_portfolio("static ss");
    const auto fixed = [] { return std::make_unique<FixedSelector>(Schedule{find_technique("gss")}, "test"); };
    IndependentLearner learner(side_of(portfolio, fixed()), side_of(portfolio, fixed()));
    EXPECT_THROW(static_cast<void>(learner.next()), Error);
}

}  // namespace
