// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "learn/policies/circuit.hpp"
#include "learn/policies/policy.hpp"

namespace gimbal::learn {

/// First every action in every state once, K^2 steps along a circuit; then the best. Where that takes more steps than
/// may be spent, every action once, K steps.
/// @source seed 000, section 4.2; test: tests/unit/learn/policy_test.cpp
class ExploreFirst final : public Policy {
public:
    /// Exploration that no limit was set for may take this long [steps]: a quarter of the source's runs of 1500, and
    /// all pairs of the portfolios of 12 that the source compares techniques with.
    static constexpr std::uint64_t kAllowed = 400;

    /// @param actions  K, >= 1  @param allowed  steps that may be spent [steps]; 0: kAllowed
    ExploreFirst(std::size_t actions, std::uint64_t allowed) noexcept
        : actions_(actions), circuit_(static_cast<std::uint32_t>(actions)) {
        const std::uint64_t pairs = std::uint64_t{actions} * actions;
        in_pairs_ = pairs <= (allowed == 0 ? kAllowed : allowed);
        length_ = in_pairs_ ? pairs : actions;
    }

    [[nodiscard]] Decision pick(std::uint32_t /*state*/, const Beliefs& beliefs, Random& /*random*/) noexcept override {
        if (picked_ == length_) return {.action = beliefs.best(), .exploring = false};
        const Decision decision{.action = upcoming(), .exploring = true};
        ++picked_;
        circuit_.advance();
        return decision;
    }

    /// There is no chance in it. While exploring, the action does depend on when, but not on the state.
    void chances(std::uint32_t /*state*/, const Beliefs& beliefs, std::span<double> chances) const noexcept override {
        std::ranges::fill(chances, 0.0);
        chances[picked_ == length_ ? beliefs.best() : upcoming()] = 1;
    }

private:
    [[nodiscard]] std::uint32_t upcoming() const noexcept {
        return in_pairs_ ? circuit_.upcoming() : static_cast<std::uint32_t>(picked_ % actions_);
    }

    std::size_t actions_;
    Circuit circuit_;
    bool in_pairs_ = true;
    std::uint64_t length_ = 0;
    std::uint64_t picked_ = 0;
};

}  // namespace gimbal::learn
