// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "learn/agents/tabular_agent.hpp"

namespace gimbal::learn {

/// R-learning: rewards count by how far they are from the average one, and are not discounted.
///
/// Q(S,A) += alpha [R - rho + max_a Q(S',a) - Q(S,A)]. rho, the average reward, moves by the same difference taken from
/// max_a Q(S,a), on steps whose action was a best one in S only: others say nothing about the greedy policy.
/// @source Schwartz 1993. LB4OMP has a number for it, but an update() that does nothing; test:
///         tests/unit/learn/fixed_point_test.cpp
class RLearner final : public TabularAgent {
public:
    /// rho learns this much slower than Q: differences to it mean something only while it hardly moves.
    static constexpr double kAverageRate = 0.1;

    using TabularAgent::TabularAgent;

    void learn(const Step& step) noexcept override {
        const double best_here = q_.highest(step.state);
        const bool was_greedy = q_.at(step.state, step.action) >= best_here;
        const double next = q_.highest(step.action);
        q_.towards(step.state, step.action, step.reward - average_reward_ + next, step.alpha);
        if (was_greedy) {
            average_reward_ += kAverageRate * step.alpha * (step.reward - average_reward_ + next - best_here);
        }
    }

    /// rho.
    [[nodiscard]] double average_reward() const noexcept { return average_reward_; }

private:
    double average_reward_ = 0;
};

}  // namespace gimbal::learn
