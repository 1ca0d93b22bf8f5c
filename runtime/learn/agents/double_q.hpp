// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <span>
#include <vector>

#include "learn/agents/agent.hpp"
#include "learn/agents/q_table.hpp"

namespace gimbal::learn {

/// Double Q-learning: a fair coin says which of two tables learns, from what the other thinks of its own best action.
/// What the agent believes is the mean of both.
/// @source seed 000, eqs 2.8 and 2.9 (van Hasselt 2010); test: tests/unit/learn/double_q_test.cpp, fixed_point_test.cpp
class DoubleQLearner final : public Agent {
public:
    /// @param actions  K, >= 1  @param gamma  discount factor  @param seed  of the coin  @errors std::bad_alloc
    DoubleQLearner(std::size_t actions, double gamma, Initialiser initial, std::uint64_t seed)
        : gamma_(gamma), coin_(seed), tables_{QTable(actions, initial), QTable(actions, initial)}, averages_(actions) {
        for (std::uint32_t a = 0; a < actions; ++a) average(a);
    }

    void row(std::uint32_t state, std::span<double> values) const noexcept override {
        for (std::uint32_t a = 0; a < values.size(); ++a) {
            values[a] = (tables_[0].at(state, a) + tables_[1].at(state, a)) / 2;
        }
    }
    [[nodiscard]] std::span<const double> averages() const noexcept override { return averages_; }

    void learn(const Step& step) noexcept override {
        const std::size_t learning = coin_.coin() ? 1 : 0;
        QTable& own = tables_[learning];
        const QTable& other = tables_[1 - learning];
        const double next = other.at(step.action, own.best(step.action));
        own.towards(step.state, step.action, step.reward + gamma_ * next, step.alpha);
        average(step.action);
    }

    /// One of the two tables.
    [[nodiscard]] const QTable& table(std::size_t which) const noexcept { return tables_[which]; }

private:
    void average(std::uint32_t action) noexcept {
        averages_[action] = (tables_[0].averages()[action] + tables_[1].averages()[action]) / 2;
    }

    double gamma_;
    Random coin_;
    std::array<QTable, 2> tables_;
    std::vector<double> averages_;
};

}  // namespace gimbal::learn
