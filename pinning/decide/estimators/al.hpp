// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

#include "decide/estimators/estimator.hpp"

namespace gimbal::pin {

/// A table of what each choice was last worth; the strategy plays the best of those seen, equal ones equally.
///
/// What was never seen gets nothing: trying it is the optimiser's business (lambda, or rule (a)).
/// @source reference on placement, 1c (estimator output = strategy or value table); test:
/// tests/unit/pinning/decide/rl_test.cpp
class AlEstimator final : public Estimator {
private:
    void learn(std::size_t, const Experience&) override {
        double best = 0;
        for (const double value : values_) best = std::isnan(value) ? best : std::max(best, value);
        double ties = 0;
        for (const double value : values_) ties += value >= best ? 1 : 0;
        for (std::size_t i = 0; i < values_.size(); ++i) strategy_[i] = values_[i] >= best ? 1 / ties : 0;
    }
};

}  // namespace gimbal::pin
