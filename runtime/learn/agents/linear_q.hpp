// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "learn/agents/agent.hpp"
#include "learn/initialiser.hpp"

namespace gimbal::learn {

/// A value that is linear in features of the state: v = sum_i c_i x_i.
/// @threads guarded by its owner  @cost O(features)
class LinearValue {
public:
    /// @errors std::bad_alloc
    explicit LinearValue(std::size_t features) : coefficients_(features, 0.0) {}

    [[nodiscard]] double at(std::span<const double> features) const noexcept {
        double value = 0;
        for (std::size_t i = 0; i < coefficients_.size(); ++i) value += coefficients_[i] * features[i];
        return value;
    }

    /// c_i += alpha x_i sigmoid(dv), dv = target - value: large errors, which features that grow feed on themselves,
    /// cannot move the coefficients far. The sigmoid is tanh: the plain rule wherever dv is small, as the source
    /// wants it, which one that is 1/2 at 0 would not be.
    /// @source seed 002, eq. 4; test: tests/unit/learn/linear_test.cpp
    void learn(std::span<const double> features, double target, double alpha) noexcept {
        move(features, alpha * std::tanh(target - at(features)));
    }

    /// The plain rule, c_i += alpha x_i dv; here to be compared with. @source seed 002, eq. 3
    void learn_plainly(std::span<const double> features, double target, double alpha) noexcept {
        move(features, alpha * (target - at(features)));
    }

    void set(std::size_t feature, double coefficient) noexcept { coefficients_[feature] = coefficient; }

    /// [features]
    [[nodiscard]] std::span<const double> coefficients() const noexcept { return coefficients_; }

private:
    void move(std::span<const double> features, double by) noexcept {
        for (std::size_t i = 0; i < coefficients_.size(); ++i) coefficients_[i] += by * features[i];
    }

    std::vector<double> coefficients_;
};

/// Q-learning with a linear function of features of the state for every action in place of a table.
///
/// The features of a state: 1; its place in the portfolio, since neighbours there are often alike; the imbalance that
/// its last execution had; its mean loop time as the share that the fastest state needs of it. All lie in [0, 1/2], so
/// that the squared length is at most 1 and alpha is still the share of a small error that a step takes away.
/// With DecayKind::harmonic and alpha 0.001 its rate is the source's alpha_m = 0.001 / (m + 1).
/// @source seed 002, section 5 (its features are of other things); test: tests/unit/learn/linear_test.cpp
class LinearQLearner final : public Agent {
public:
    /// @param gamma  discount factor  @errors std::bad_alloc
    LinearQLearner(Sizes sizes, double gamma, Initialiser initial);

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
    std::vector<Features> features_;       // [S] by state
    std::vector<double> averages_;         // [K] by action
    std::vector<std::uint64_t> measured_;  // [S] executions that led there, with a loop time
    std::vector<double> mean_time_;        // [S] of those [s]
};

}  // namespace gimbal::learn
