// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "learn/agents/tabular_agent.hpp"

namespace gimbal::learn {

/// Expected SARSA: Q(S,A) += alpha [R + gamma sum_a pi(a|S') Q(S',a) - Q(S,A)], pi being the policy in use.
/// @source seed 000, eq. 2.12 (van Seijen et al. 2009); test: tests/unit/learn/fixed_point_test.cpp
class ExpectedSarsaLearner final : public TabularAgent {
public:
    using TabularAgent::TabularAgent;

    [[nodiscard]] Needs needs() const noexcept override { return Needs::chances; }

    void learn(const Step& step) noexcept override {
        const std::span<const double> next = q_.row(step.action);
        double expected = 0;
        for (std::size_t a = 0; a < next.size(); ++a) expected += step.chances[a] * next[a];
        q_.towards(step.state, step.action, step.reward + gamma_ * expected, step.alpha);
    }
};

}  // namespace gimbal::learn
