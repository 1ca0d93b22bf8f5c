// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "learn/agents/agent.hpp"
#include "learn/agents/linear_value.hpp"
#include "learn/initialiser.hpp"

namespace gimbal::learn {

/// Q-learning with a linear function of features of the state for every action in place of a table.
///
/// The features of a state: 1; its place in the portfolio, since neighbours there are often alike; the imbalance that
/// its last execution had; its mean loop time as the share that the fastest state needs of it. All lie in [0, 1/2], so
/// that the squared length is at most 1 and alpha is still the share of a small error that a step takes away.
/// With DecayKind::harmonic and alpha 0.001 its rate is the source's alpha_m = 0.001 / (m + 1).
/// @source seed 002, section 5 (its features are of other things); test: tests/unit/learn/linear_test.cpp
class LinearQLearner final : public Agent {
public:
    /// @param actions  K, >= 1  @param gamma  discount factor  @errors std::bad_alloc
    LinearQLearner(std::size_t actions, double gamma, Initialiser initial);

    void row(std::uint32_t state, std::span<double> values) const noexcept override;
    [[nodiscard]] std::span<const double> averages() const noexcept override { return averages_; }
    void learn(const Step& step) noexcept override;

private:
    static constexpr std::size_t kFeatures = 4;
    static constexpr double kScale = 0.5;
    using Features = std::array<double, kFeatures>;

    void note(const Step& step) noexcept;
    void average() noexcept;

    double gamma_;
    std::vector<LinearValue> values_;      // [K] by action
    std::vector<Features> features_;       // [K] by state
    std::vector<double> averages_;         // [K] by action
    std::vector<std::uint64_t> measured_;  // [K] executions with a loop time
    std::vector<double> mean_time_;        // [K] of those [s]
};

}  // namespace gimbal::learn
