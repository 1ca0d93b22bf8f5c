// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/slack_history.hpp"

#include <gtest/gtest.h>

namespace gimbal {
namespace {

/// A path that is visited every 10 ms, with so much slack each time [s].
SlackHistory steady(double slack_s, int visits) {
    SlackHistory history;
    for (int i = 0; i < visits; ++i) history.add(slack_s, 0.01, false);
    return history;
}

TEST(SlackHistory, SaysNothingBeforeEightVisits) {
    EXPECT_EQ(steady(1e-3, 7).predicted_s(), 0);
    EXPECT_DOUBLE_EQ(steady(1e-3, 8).predicted_s(), 1e-3);
}

TEST(SlackHistory, ExpectsTheLeastOfTheLastThree) {
    SlackHistory history = steady(1e-3, 8);
    history.add(0.9e-3, 0.01, false);
    history.add(1.1e-3, 0.01, false);
    EXPECT_DOUBLE_EQ(history.predicted_s(), 0.9e-3);
    history.add(1.1e-3, 0.01, false);
    history.add(1.1e-3, 0.01, false);
    EXPECT_DOUBLE_EQ(history.predicted_s(), 1.1e-3);
}

TEST(SlackHistory, DoesNotTrustSlackThatScatters) {
    SlackHistory history;
    for (int i = 0; i < 16; ++i) history.add(i % 2 ? 1e-3 : 2e-3, 0.01, false);
    EXPECT_EQ(history.predicted_s(), 0);
}

TEST(SlackHistory, DoesNotTrustSlackThatIsSmallBesideTheComputation) {
    SlackHistory history;
    for (int i = 0; i < 16; ++i) history.add(1e-3, 0.1, false);
    EXPECT_EQ(history.predicted_s(), 0);
}

TEST(SlackHistory, ARankThatWasLastHasNoneForFourVisits) {
    SlackHistory history = steady(1e-3, 8);
    history.add(1e-3, 0.01, true);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(history.predicted_s(), 0);
        history.add(1e-3, 0.01, false);
    }
    EXPECT_EQ(history.predicted_s(), 0);
    history.add(1e-3, 0.01, false);
    EXPECT_DOUBLE_EQ(history.predicted_s(), 1e-3);
}

TEST(SlackHistory, StopsWhereItExpectedTooMuchTooOften) {
    SlackHistory history = steady(1e-3, 8);
    for (int i = 0; i < 12; ++i) history.add((i % 4 == 0 ? 0.95 : 1.0) * 1e-3, 0.01, false);
    EXPECT_EQ(history.predicted_s(), 0);
}

}  // namespace
}  // namespace gimbal
