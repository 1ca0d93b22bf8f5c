// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "decide/estimators/estimator.hpp"

namespace gimbal::pin {

/// Aspiration-based perturbed learning automaton: the step of RL times phi(u - rho), rho = V.
///
///     phi = 1                                  where u >= 0.98 rho
///     phi = max(h, 1 - (rho - u) / (c rho))    below: what disappoints is hardly reinforced
///
/// @source Chasparis, arXiv 1803.02751; reference on placement, 1b (shape of phi); test:
/// tests/unit/pinning/decide/rl_test.cpp
class AplaEstimator final : public Estimator {
public:
    /// @param step   eps, in (0, 1]
    /// @param floor  h, in (0, 1]
    /// @param range  c, relative fall at which phi would be 0, > 0
    AplaEstimator(double step, double floor, double range) noexcept : step_(step), floor_(floor), range_(range) {}

    /// The factor by itself, in [h, 1].
    [[nodiscard]] static double phi(double utility, double aspiration, double floor, double range) noexcept {
        if (utility >= kContent * aspiration) return 1;
        return std::max(floor, 1 - (aspiration - utility) / (range * aspiration));
    }

private:
    /// Noise below this share of the aspiration is no disappointment.
    static constexpr double kContent = 0.98;

    void learn(std::size_t choice, const Experience& seen) override {
        const double factor = phi(seen.utility, seen.mean, floor_, range_);
        lean(choice, factor * std::min(1.0, step_ * seen.utility / seen.mean));
    }

    double step_;
    double floor_;
    double range_;
};

}  // namespace gimbal::pin
