// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gimbal/random.hpp"
#include "learn/action_times.hpp"
#include "learn/agents/agent.hpp"
#include "learn/learner.hpp"

namespace gimbal::learn {

/// What a policy may look at.
struct Beliefs {
    const Agent& agent;
    const ActionTimes& times;
    double epsilon = 0;                ///< in force
    std::span<const double> row = {};  ///< [K] Q in the state, if that decides; empty: the average over states does

    /// The action that is believed to be the best.
    [[nodiscard]] std::uint32_t best() const noexcept { return greedy(row.empty() ? agent.averages() : row, times); }
};

/// How the next action is picked.
/// @threads guarded by its owner
class Policy {
public:
    virtual ~Policy() = default;

    /// @param state  < S  @return without a number, which its owner gives  @cost O(K); nothing is allocated
    [[nodiscard]] virtual Pick pick(std::uint32_t state, const Beliefs& beliefs, Random& random) noexcept = 0;

    /// pi(a|S) of the next pick, exactly, for all a.
    /// @param chances  [K] out; they add up to 1
    virtual void chances(std::uint32_t state, const Beliefs& beliefs, std::span<double> chances) const noexcept = 0;
};

/// @param actions  K, >= 1
/// @return never nullptr
/// @errors std::bad_alloc
[[nodiscard]] std::unique_ptr<Policy> make_policy(const Parameters& parameters, std::size_t actions);

}  // namespace gimbal::learn
