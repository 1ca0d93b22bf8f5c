// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/criteria.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gimbal::pin {
namespace {

SpeedSummary summary_of(std::initializer_list<double> speeds) {
    SpeedSummary crowd;
    for (const double speed : speeds) crowd.add(speed);
    return crowd;
}

TEST(PinCriteria, BlockedThreadsAreNotCounted) {
    const SpeedSummary crowd = summary_of({1, 0, 3, std::nan(""), -2});
    EXPECT_EQ(crowd.count(), 2u);
    EXPECT_DOUBLE_EQ(crowd.mean(), 2);
    EXPECT_DOUBLE_EQ(crowd.least(), 1);
}

TEST(PinCriteria, SpeedIsTheMeanAndBlindToBalance) {
    EXPECT_DOUBLE_EQ(objective(Criterion::speed, 0.5, summary_of({1, 1, 1, 1})), 1);
    EXPECT_DOUBLE_EQ(objective(Criterion::speed, 0.5, summary_of({2, 2, 0.0001, 0.0001})),
                     objective(Criterion::progress, 0.5, summary_of({1.0001, 1.0001, 1, 1})));
}

TEST(PinCriteria, BalancedAndMinPreferEqualSpeedsOfTheSameMean) {
    for (const Criterion criterion : {Criterion::balanced, Criterion::min})
        EXPECT_GT(objective(criterion, 0.5, summary_of({1, 1, 1, 1})),
                  objective(criterion, 0.5, summary_of({1.5, 1.5, 0.5, 0.5})));
}

TEST(PinCriteria, UtilityIsAlwaysPositiveAndAThreadsOwn) {
    const SpeedSummary crowd = summary_of({1, 10, 100});
    for (const Criterion criterion : {Criterion::speed, Criterion::balanced, Criterion::min, Criterion::progress}) {
        for (const double speed : {1.0, 10.0, 100.0}) EXPECT_GT(utility(criterion, 50, speed, crowd), 0);
        EXPECT_LE(utility(criterion, 0.5, 1, crowd), 1);
    }
    EXPECT_DOUBLE_EQ(utility(Criterion::speed, 0.5, 10, crowd), 10);
    EXPECT_DOUBLE_EQ(utility(Criterion::min, 0.5, 10, crowd), 5.5);
}

TEST(PinCriteria, NoThreadsAreWorthNothing) {
    EXPECT_EQ(objective(Criterion::min, 0.5, SpeedSummary{}), 0);
}

}  // namespace
}  // namespace gimbal::pin
