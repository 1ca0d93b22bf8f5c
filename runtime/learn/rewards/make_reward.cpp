// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>

#include "learn/rewards/bands.hpp"
#include "learn/rewards/below_average.hpp"
#include "learn/rewards/below_rolling_average.hpp"
#include "learn/rewards/inverse.hpp"
#include "learn/rewards/robustness.hpp"

namespace gimbal::learn {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

double positive(double value) noexcept {
    return std::isfinite(value) && value > 0 ? value : kNotMeasured;
}

double magnitude(double value) noexcept {
    return std::isfinite(value) ? std::abs(value) : kNotMeasured;
}

}  // namespace

double signal_of(RewardKind kind, const Signals& signals) noexcept {
    switch (kind) {
        case RewardKind::looptime:
        case RewardKind::looptime_average:
        case RewardKind::looptime_rolling_average:
        case RewardKind::looptime_inverse:
        case RewardKind::robustness:
            return positive(signals.loop_time_s);
        case RewardKind::loadimbalance:
            return magnitude(signals.imbalance.percent_imbalance);
        case RewardKind::stddev:
            return magnitude(signals.imbalance.sd);
        case RewardKind::cov:
            return magnitude(signals.imbalance.cov);
        // Bands that multiply mean nothing for negative signals, and a distribution leaning either way is as bad.
        case RewardKind::skewness:
            return magnitude(signals.imbalance.skewness);
        case RewardKind::kurtosis:
            return magnitude(signals.imbalance.kurtosis);
        case RewardKind::ips:
            return positive(1 / positive(signals.instructions_per_second));
    }
    return kNotMeasured;
}

std::unique_ptr<Reward> make_reward(const Parameters& parameters) {
    switch (parameters.reward) {
        case RewardKind::looptime_average:
            return std::make_unique<BelowAverage>(parameters.rewards);
        case RewardKind::looptime_rolling_average:
            return std::make_unique<BelowRollingAverage>(parameters.rewards, parameters.average_window);
        case RewardKind::looptime_inverse:
            return std::make_unique<Inverse>(parameters.inverse_multiplier);
        case RewardKind::robustness:
            return std::make_unique<Robustness>(parameters.tau);
        default:
            return std::make_unique<Bands>(parameters.rewards);
    }
}

}  // namespace gimbal::learn
