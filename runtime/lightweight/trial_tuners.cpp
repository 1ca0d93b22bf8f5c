// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/trial_tuners.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gimbal {

namespace {

constexpr double kCoarse = 0.1;
constexpr double kFine = 0.01;
constexpr std::size_t kMaxCandidates = 21;  // +-0.1 in hundredths
constexpr std::array kConstraints{1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};

}  // namespace

GridTuner::GridTuner(std::uint64_t chunk, std::uint32_t repetitions)
    : chunk_(chunk == 0 ? 1.0 : static_cast<double>(chunk)), search_(kMaxCandidates, repetitions) {
    start_coarse();
}

void GridTuner::start_coarse() noexcept {
    const double step = std::clamp(least_step_, kCoarse, 1.0);
    const auto steps = static_cast<std::size_t>(1 / step + 1e-9);
    std::array<double, 11> grid{};
    for (std::size_t k = 0; k <= steps; ++k) {
        grid[k] = 1 - static_cast<double>(k) / static_cast<double>(steps);
    }
    search_.start({grid.data(), steps + 1});
}

void GridTuner::learn(const FractionTrial& trial) {
    const double cost = trial.cost();
    if (std::isnan(cost)) return;
    least_step_ = chunk_ * trial.workers / static_cast<double>(trial.iterations);
    // Only now is it known how fine the first grid may be; the first trial, all static, is in every grid.
    if (coarse_ && search_.fresh() && least_step_ > kCoarse) start_coarse();
    if (search_.done()) {
        if (watch_.learn(cost) > 0) search_.start_around(fraction(), kCoarse, std::max(kFine, least_step_));
        return;
    }
    if (!search_.learn(trial.fraction, cost)) return;
    if (coarse_) {
        coarse_ = false;
        search_.start_around(fraction(), kCoarse, std::max(kFine, least_step_));
        return;
    }
    watch_.settle(0);
}

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
