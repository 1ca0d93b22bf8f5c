// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "learn/agents/tabular_agent.hpp"

namespace gimbal::learn {

/// Q-learning: Q(S,A) += alpha [R + gamma max_a Q(S',a) - Q(S,A)].
/// @source seed 000, eq. 2.6 (Watkins 1989); test: tests/unit/learn/fixed_point_test.cpp
class QLearner final : public TabularAgent {
public:
    using TabularAgent::TabularAgent;

    void learn(const Step& step) noexcept override {
        q_.towards(step.state, step.action, step.reward + gamma_ * q_.highest(step.action), step.alpha);
    }
};

}  // namespace gimbal::learn
