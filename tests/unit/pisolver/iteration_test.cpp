// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "iteration.hpp"

#include <gtest/gtest.h>

#include "common/clock.hpp"

namespace pisolver {
namespace {

TEST(Iteration, ComputesWhetherItSleepsOrNot) {
    Iteration plain;
    Iteration slow(10.0);
    for (const std::int64_t steps : {200, 1000, 12345}) {
        EXPECT_EQ(plain(steps), pi_by_midpoint(steps));
        EXPECT_EQ(slow(steps), pi_by_midpoint(steps));
    }
}

TEST(Iteration, LastsNoLessInSumThanItShould) {
    Iteration slow(20.0);
    const double begin_s = apps::wall_s();
    for (int i = 0; i < 50; ++i) slow(10000);  // 0.2 ms each
    EXPECT_GE(apps::wall_s() - begin_s, 50 * 10000 * 20e-9);
}

}  // namespace
}  // namespace pisolver
