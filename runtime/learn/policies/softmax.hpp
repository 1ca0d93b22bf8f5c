// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "learn/policies/policy.hpp"

namespace gimbal::learn {

/// Action a with probability proportional to exp(tau Q(S,a)).
///
/// tau multiplies, as the source words it: the higher, the greedier; it is the inverse of what is called a temperature
/// elsewhere. The highest value is subtracted first, so no exponential can overflow.
/// @source seed 000, section 4.2; test: tests/unit/learn/policy_test.cpp
class Softmax final : public Policy {
public:
    /// @param actions  K, >= 1  @param tau  >= 0  @errors std::bad_alloc
    Softmax(std::size_t actions, double tau)
        : tau_(std::min(tau, std::numeric_limits<double>::max())), scratch_(actions) {}

    [[nodiscard]] Decision pick(std::uint32_t state, const Beliefs& beliefs, Random& random) noexcept override {
        chances(state, beliefs, scratch_);
        double left = random.unit();
        std::uint32_t action = 0;
        for (std::uint32_t a = 0; a < scratch_.size(); ++a) {
            if (scratch_[a] <= 0) continue;
            action = a;  // the last possible one, if rounding leaves something
            left -= scratch_[a];
            if (left < 0) break;
        }
        return {.action = action, .exploring = action != beliefs.best()};
    }

    void chances(std::uint32_t state, const Beliefs& beliefs, std::span<double> chances) const noexcept override {
        beliefs.agent.row(state, chances);
        const double highest = *std::ranges::max_element(chances);
        double sum = 0;
        for (double& chance : chances) {
            // Never minus infinity, which tau = 0 would make NaN.
            chance = std::exp(tau_ * std::max(chance - highest, std::numeric_limits<double>::lowest()));
            sum += chance;
        }
        for (double& chance : chances) chance /= sum;
    }

private:
    double tau_;
    std::vector<double> scratch_;  // [K]
};

}  // namespace gimbal::learn
