// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/estimators.hpp"

#include <cassert>
#include <cmath>

#include "decide/running_mean.hpp"

namespace gimbal::pin {

namespace {

/// How much the last experience weighs in a remembered value.
constexpr double kValueStep = 0.3;

}  // namespace

void Estimator::reset(std::size_t choices, std::size_t first, double sure) {
    assert(choices >= 1);
    values_.assign(choices, std::numeric_limits<double>::quiet_NaN());
    prefer(first, sure);
}

void Estimator::prefer(std::size_t first, double sure) {
    const std::size_t choices = values_.size();
    const auto k = static_cast<double>(choices);
    strategy_.assign(choices, 1 / k);
    if (first >= choices || choices == 1 || sure <= 1 / k) return;
    strategy_.assign(choices, (1 - sure) / (k - 1));
    strategy_[first] = sure;
}

void Estimator::observe(std::size_t choice, double utility, double mean) {
    assert(choice < values_.size());
    if (!teaches(utility) || !teaches(mean)) return;
    double& value = values_[choice];
    value = std::isnan(value) ? utility : value + kValueStep * (utility - value);
    learn(choice, utility, mean);
}

void Estimator::lean(std::size_t choice, double step) noexcept {
    double sum = 0;
    for (double& weight : strategy_) weight -= step * weight;
    strategy_[choice] += step;
    for (const double weight : strategy_) sum += weight;
    for (double& weight : strategy_) weight /= sum;
}

std::unique_ptr<Estimator> make_estimator(EstimatorKind kind, const Settings& settings) {
    switch (kind) {
        case EstimatorKind::rl:
            return std::make_unique<AutomatonEstimator>(settings.rl_step, 1, settings.apla_range);
        case EstimatorKind::apla:
            return std::make_unique<AutomatonEstimator>(settings.rl_step, settings.apla_floor, settings.apla_range);
        case EstimatorKind::al:
            break;
    }
    return std::make_unique<AlEstimator>();
}

}  // namespace gimbal::pin
