// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using gimbal::Imbalance;
using gimbal::imbalance_of;

void expect_zeros(const std::vector<double>& times) {
    const Imbalance result = imbalance_of(times);
    EXPECT_EQ(result.percent_imbalance, 0);
    EXPECT_EQ(result.lost, 0);
    EXPECT_EQ(result.cov, 0);
    EXPECT_EQ(result.sd, 0);
    EXPECT_EQ(result.skewness, 0);
    EXPECT_EQ(result.kurtosis, 0);
}

TEST(Imbalance, FollowsTheEquationsOfTheSeed) {
    // L = 1 1 1 5: mean 2, deviations -1 -1 -1 3, variance 12/4 = 3, third moment 24/4 = 6, fourth 84/4 = 21.
    const std::vector<double> times{1, 1, 1, 5};
    const Imbalance result = imbalance_of(times);
    EXPECT_NEAR(result.percent_imbalance, 1.5, 1e-12);
    EXPECT_NEAR(result.lost, 0.6, 1e-12);
    EXPECT_NEAR(result.sd, std::sqrt(3.0), 1e-12);
    EXPECT_NEAR(result.cov, std::sqrt(3.0) / 2, 1e-12);
    EXPECT_NEAR(result.skewness, 6 / std::pow(3.0, 1.5), 1e-12);
    EXPECT_NEAR(result.kurtosis, 21.0 / 9 - 3, 1e-12);
}

TEST(Imbalance, IsSymmetricForSymmetricTimes) {
    // Two values: every standardised deviation is +-1, so kurtosis = 1 - 3.
    const std::vector<double> times{2, 4};
    const Imbalance result = imbalance_of(times);
    EXPECT_NEAR(result.skewness, 0, 1e-12);
    EXPECT_NEAR(result.kurtosis, -2, 1e-12);
    EXPECT_NEAR(result.percent_imbalance, 1.0 / 3, 1e-12);
    EXPECT_NEAR(result.lost, 0.25, 1e-12);
}

TEST(Imbalance, DoesNotDependOnTheUnit) {
    for (const double unit : {1e-300, 1e-9, 1e9, 1e300}) {
        const std::vector<double> times{1 * unit, 1 * unit, 1 * unit, 5 * unit};
        const Imbalance result = imbalance_of(times);
        EXPECT_NEAR(result.percent_imbalance, 1.5, 1e-9);
        EXPECT_NEAR(result.sd / unit, std::sqrt(3.0), 1e-9);
        EXPECT_NEAR(result.skewness, 6 / std::pow(3.0, 1.5), 1e-9);
        EXPECT_NEAR(result.kurtosis, 21.0 / 9 - 3, 1e-9);
    }
}

TEST(Imbalance, IsZeroWithoutTimesAndWithoutDifferences) {
    expect_zeros({});
    expect_zeros({0, 0, 0});
    expect_zeros({7});
    expect_zeros({0.1, 0.1, 0.1});
}

TEST(Imbalance, IsZeroForTimesThatAreNone) {
    expect_zeros({1, std::numeric_limits<double>::quiet_NaN()});
    expect_zeros({1, std::numeric_limits<double>::infinity()});
    expect_zeros({1, -1});
}

TEST(Imbalance, IsBoundedByTheNumberOfWorkers) {
    // One worker did everything: imbalance P - 1, lost 1 - 1/P.
    const std::vector<double> times{8, 0, 0, 0, 0, 0, 0, 0};
    const Imbalance result = imbalance_of(times);
    EXPECT_NEAR(result.percent_imbalance, 7, 1e-12);
    EXPECT_NEAR(result.lost, 7.0 / 8, 1e-12);
}

}  // namespace
