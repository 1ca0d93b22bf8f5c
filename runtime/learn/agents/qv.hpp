// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "learn/agents/tabular_agent.hpp"

namespace gimbal::learn {

/// QV-learning: values of states by TD(lambda), and Q from them.
///
/// delta = R + gamma V(S') - V(S); e(s) = gamma lambda e(s) + [s = S]; V(s) += alpha delta e(s) for all s;
/// Q(S,A) += alpha [R + gamma V(S') - Q(S,A)], with the V of before the step in both.
/// alpha e(s) counts as 1 at most, no matter how often s occurred: a state that moved by more than the error would
/// swing about the target, and with the default alpha and a gamma of 0.95 ever wider.
/// @source seed 000, eqs 2.10 and 2.11 (Wiering 2005); test: tests/unit/learn/fixed_point_test.cpp
class QvLearner final : public TabularAgent {
public:
    /// How much of the credit goes on to earlier states. More is not needed where the action already is the next state,
    /// and up to here V was never seen to exceed what rewards can add up to, for any alpha and gamma in [0, 1].
    static constexpr double kLambda = 0.5;

    /// @param actions  K, >= 1  @param gamma  discount factor  @errors std::bad_alloc
    QvLearner(std::size_t actions, double gamma, Initialiser initial)
        : TabularAgent(actions, gamma, initial), values_(actions), traces_(actions, 0.0) {
        for (double& value : values_) value = initial();
    }

    void learn(const Step& step) noexcept override {
        const double target = step.reward + gamma_ * values_[step.action];
        const double delta = target - values_[step.state];
        for (double& trace : traces_) trace *= gamma_ * kLambda;
        traces_[step.state] += 1;
        for (std::size_t s = 0; s < values_.size(); ++s) {
            values_[s] += std::min(1.0, step.alpha * traces_[s]) * delta;
        }
        q_.towards(step.state, step.action, target, step.alpha);
    }

    /// V(S).
    [[nodiscard]] double state_value(std::uint32_t state) const noexcept { return values_[state]; }

private:
    std::vector<double> values_;  // [K] V
    std::vector<double> traces_;  // [K] e
};

}  // namespace gimbal::learn
