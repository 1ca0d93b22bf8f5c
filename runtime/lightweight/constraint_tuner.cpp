// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/constraint_tuner.hpp"

#include <array>
#include <cmath>

namespace gimbal {

namespace {

constexpr std::array kConstraints{1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};

}  // namespace

ConstraintTuner::ConstraintTuner(std::uint32_t repetitions) : search_(kConstraints.size(), repetitions) {
    start();
}

void ConstraintTuner::start() noexcept {
    search_.start(kConstraints);
}

void ConstraintTuner::learn(const FractionTrial& trial) {
    const double cost = trial.cost();
    if (std::isnan(cost)) return;
    if (search_.done()) {
        if (watch_.learn(cost) > 0) start();
    } else if (search_.learn(trial.fraction, cost)) {
        const double all = search_.mean(0);
        const double least = search_.least();
        chosen_ = all <= least * (1 + 2 * search_.error()) ? 1 : search_.current();
        watch_.settle(0);
    }
}

}  // namespace gimbal
