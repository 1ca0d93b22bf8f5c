// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "decide/estimators/estimator.hpp"

namespace gimbal::pin {

/// Perturbed learning automaton: sigma += e (e_choice - sigma), e = min(1, eps u / u-bar).
///
/// The printed eps = 0.3 / v-bar / 1e8 makes sense only as 0.3 u / u-bar with a dimensionless 0.3. All rewards are
/// positive, so whatever is repeated locks in; what contrasts a good choice with a bad one is u / u-bar alone.
/// @source Chasparis, Rossbory 2017; seed 001, section 4.5.2; reference on placement, 1b;
///         test: tests/unit/pinning/decide/rl_test.cpp
class RlEstimator final : public Estimator {
public:
    /// @param step  eps, in (0, 1]
    explicit RlEstimator(double step) noexcept : step_(step) {}

private:
    void learn(std::size_t choice, const Experience& seen) override {
        lean(choice, std::min(1.0, step_ * seen.utility / seen.mean));
    }

    double step_;
};

}  // namespace gimbal::pin
