// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/agents/linear_q.hpp"

#include <algorithm>
#include <limits>

namespace gimbal::learn {

LinearQLearner::LinearQLearner(Sizes sizes, double gamma, Initialiser initial)
    : gamma_(gamma),
      values_(sizes.actions, LinearValue(kFeatures)),
      features_(sizes.states),
      averages_(sizes.actions),
      measured_(sizes.states, 0),
      mean_time_(sizes.states, 0.0) {
    const double last = sizes.states > 1 ? static_cast<double>(sizes.states - 1) : 1;
    for (std::size_t s = 0; s < sizes.states; ++s) {
        features_[s] = {kScale, kScale * static_cast<double>(s) / last, 0, kScale};
    }
    for (LinearValue& value : values_) value.set(0, initial() / kScale);
    average();
}

void LinearQLearner::row(std::uint32_t state, std::span<double> values) const noexcept {
    for (std::size_t a = 0; a < values.size(); ++a) values[a] = values_[a].at(features_[state]);
}

void LinearQLearner::learn(const Step& step) noexcept {
    const Features here = features_[step.state];  // as they were when the action was picked
    note(step);
    double next = -std::numeric_limits<double>::infinity();
    for (const LinearValue& value : values_) next = std::max(next, value.at(features_[step.next_state()]));
    values_[step.action].learn(here, step.reward + gamma_ * next, step.alpha);
    average();
}

/// What the step showed of the state that it leads to.
void LinearQLearner::note(const Step& step) noexcept {
    const std::uint32_t after = step.next_state();
    features_[after][2] = kScale * std::clamp(step.imbalance, 0.0, 1.0);
    if (!(step.loop_time_s > 0)) return;
    double& mean = mean_time_[after];
    mean += (step.loop_time_s - mean) / static_cast<double>(++measured_[after]);
    double fastest = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < features_.size(); ++s) {
        if (measured_[s] > 0) fastest = std::min(fastest, mean_time_[s]);
    }
    for (std::size_t s = 0; s < features_.size(); ++s) {
        if (measured_[s] > 0) features_[s][3] = kScale * fastest / mean_time_[s];
    }
}

/// A linear function's average is its value at the average features.
void LinearQLearner::average() noexcept {
    Features mean{};
    for (const Features& features : features_) {
        for (std::size_t i = 0; i < kFeatures; ++i) mean[i] += features[i] / static_cast<double>(features_.size());
    }
    for (std::size_t a = 0; a < averages_.size(); ++a) averages_[a] = values_[a].at(mean);
}

}  // namespace gimbal::learn
