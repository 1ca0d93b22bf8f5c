// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "learn/agents/tabular_agent.hpp"

namespace gimbal::learn {

/// SARSA: Q(S,A) += alpha [R + gamma Q(S',A') - Q(S,A)], A' being the action that is really taken next.
/// @source seed 000, eq. 2.7 (Rummery, Niranjan 1994); test: tests/unit/learn/fixed_point_test.cpp, sarsa_test.cpp
class SarsaLearner final : public TabularAgent {
public:
    using TabularAgent::TabularAgent;

    [[nodiscard]] Needs needs() const noexcept override { return Needs::next_action; }

    void learn(const Step& step) noexcept override {
        const double next = q_.at(step.action, step.next_action);
        q_.towards(step.state, step.action, step.reward + gamma_ * next, step.alpha);
    }
};

}  // namespace gimbal::learn
