// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/initialiser.hpp"

namespace gimbal::learn {

/// Q(S, A), K x K and contiguous, with the average of every action over the states.
/// @threads guarded by its owner
class QTable {
public:
    /// @param actions  K, >= 1  @errors std::bad_alloc
    QTable(std::size_t actions, Initialiser& initial)
        : actions_(actions), values_(actions * actions), averages_(actions) {
        for (double& value : values_) value = initial();
        for (std::size_t a = 0; a < actions; ++a) average(a);
    }

    [[nodiscard]] std::size_t actions() const noexcept { return actions_; }
    [[nodiscard]] double at(std::uint32_t state, std::uint32_t action) const noexcept {
        return values_[state * actions_ + action];
    }

    /// [K] Q(S, a) for all a.
    [[nodiscard]] std::span<const double> row(std::uint32_t state) const noexcept {
        return std::span(values_).subspan(state * actions_, actions_);
    }
    [[nodiscard]] double highest(std::uint32_t state) const noexcept { return *std::ranges::max_element(row(state)); }
    [[nodiscard]] std::uint32_t best(std::uint32_t state) const noexcept {
        return static_cast<std::uint32_t>(std::ranges::max_element(row(state)) - row(state).begin());
    }

    /// [K]
    [[nodiscard]] std::span<const double> averages() const noexcept { return averages_; }

    /// @cost O(K): the action's column is added up anew, which is short and cannot drift away from the table
    void set(std::uint32_t state, std::uint32_t action, double value) noexcept {
        values_[state * actions_ + action] = value;
        average(action);
    }

    /// Move a value by a share of what it is off.
    void towards(std::uint32_t state, std::uint32_t action, double target, double share) noexcept {
        const double old = at(state, action);
        set(state, action, old + share * (target - old));
    }

private:
    void average(std::size_t action) noexcept {
        double sum = 0;
        for (std::size_t i = action; i < values_.size(); i += actions_) sum += values_[i];
        averages_[action] = sum / static_cast<double>(actions_);
    }

    std::size_t actions_;
    std::vector<double> values_;
    std::vector<double> averages_;
};

}  // namespace gimbal::learn
