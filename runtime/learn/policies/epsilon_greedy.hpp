// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "learn/policies/policy.hpp"

namespace gimbal::learn {

/// With probability epsilon any action, all alike; else the best.
///
/// Epsilon is the probability to explore, as in the source's table 4.1; a sentence of its section 4.2 has it the other
/// way round, which with an epsilon that shrinks would explore ever more.
/// @source seed 000, section 4.2; Sutton, Barto 2018; test: tests/unit/learn/policy_test.cpp
class EpsilonGreedy final : public Policy {
public:
    /// @param actions  K, >= 1
    explicit EpsilonGreedy(std::size_t actions) noexcept : actions_(actions) {}

    [[nodiscard]] Decision pick(std::uint32_t /*state*/, const Beliefs& beliefs, Random& random) noexcept override {
        if (random.unit() < beliefs.epsilon) {
            return {.action = static_cast<std::uint32_t>(random.between(0, actions_ - 1)), .exploring = true};
        }
        return {.action = beliefs.best(), .exploring = false};
    }

    void chances(std::uint32_t /*state*/, const Beliefs& beliefs, std::span<double> chances) const noexcept override {
        std::ranges::fill(chances, beliefs.epsilon / static_cast<double>(actions_));
        chances[beliefs.best()] += 1 - beliefs.epsilon;
    }

private:
    std::size_t actions_;
};

}  // namespace gimbal::learn
