// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "learn/learner.hpp"

namespace gimbal::learn {

/// What one step was worth, judged by the steps before it.
/// @threads guarded by its owner
class Reward {
public:
    virtual ~Reward() = default;

    /// The reward of a step, which then counts among the steps before.
    /// @param signal  of this step: finite and > 0, or >= 0 where it is an imbalance
    /// @cost O(1); of a rolling average O(its window)
    [[nodiscard]] virtual double of(double signal) noexcept = 0;
};

/// What a reward looks at.
/// @return loop times [s]; percent imbalance and cov as shares; stddev in the unit of the workers' times; skewness and
///         kurtosis without their signs; ips as seconds per instruction, so that lower is better everywhere. NaN if it
///         was not measured: a loop time or an ips that is not positive, anything that is not finite.
/// @errors none  @threads any  @cost O(1)
[[nodiscard]] double signal_of(RewardKind kind, const Signals& signals) noexcept;

/// @return never nullptr
/// @errors std::bad_alloc
/// @source reference: seed 000, section 4.2; test: tests/unit/learn/reward_test.cpp
[[nodiscard]] std::unique_ptr<Reward> make_reward(const Parameters& parameters);

}  // namespace gimbal::learn
