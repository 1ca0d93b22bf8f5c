// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "iteration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pisolver {
namespace {

TEST(Pi, HasTheErrorOfTheMidpointRule) {
    // 1 / (12 n^2): the next term is of order n^-6.
    EXPECT_NEAR(pi_by_midpoint(100) - std::numbers::pi, 8.333e-6, 1e-9);
    EXPECT_NEAR(pi_by_midpoint(1000) - std::numbers::pi, 8.3333e-8, 1e-12);
    EXPECT_NEAR(pi_by_midpoint(10000) - std::numbers::pi, 8.333e-10, 1e-12);
}

TEST(Pi, LiesWithinTheBoundThatTheProgramChecks) {
    for (const std::int64_t n : {200, 1000, 6800, 68000, 1000000}) {
        EXPECT_LE(std::abs(pi_by_midpoint(n) - std::numbers::pi), largest_error(n)) << n;
    }
    EXPECT_GT(std::abs(pi_by_midpoint(99) - std::numbers::pi), largest_error(100)) << "one step too few goes unseen";
}

TEST(Pi, IsBitwiseTheSameForTheSameNumberOfSteps) {
    EXPECT_EQ(pi_by_midpoint(6801), pi_by_midpoint(6801));
    EXPECT_NE(pi_by_midpoint(6801), pi_by_midpoint(6800));
}

}  // namespace
}  // namespace pisolver
