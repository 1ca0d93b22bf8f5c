// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/agents/agent.hpp"
#include "learn/initialiser.hpp"

namespace gimbal::learn {

/// Q(S, A), S x K and contiguous, with the average of every action over the states.
/// @threads guarded by its owner
class QTable {
public:
    /// @errors std::bad_alloc
    QTable(Sizes sizes, Initialiser& initial)
        : actions_(sizes.actions), values_(sizes.states * sizes.actions), averages_(sizes.actions) {
        for (double& value : values_) value = initial();
        for (std::size_t a = 0; a < actions_; ++a) average(a);
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

    /// @cost O(S): the action's column is added up anew, which is short and cannot drift away from the table
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
        averages_[action] = sum / static_cast<double>(values_.size() / actions_);
    }

    std::size_t actions_;
    std::vector<double> values_;
    std::vector<double> averages_;
};

/// What agents with one table share.
class TabularAgent : public Agent {
public:
    /// @param gamma  discount factor  @errors std::bad_alloc
    TabularAgent(Sizes sizes, double gamma, Initialiser initial) : gamma_(gamma), q_(sizes, initial) {}

    void row(std::uint32_t state, std::span<double> values) const noexcept final {
        std::ranges::copy(q_.row(state), values.begin());
    }
    [[nodiscard]] std::span<const double> averages() const noexcept final { return q_.averages(); }

protected:
    double gamma_;
    QTable q_;
};

/// Q-learning: Q(S,A) += alpha [R + gamma max_a Q(S',a) - Q(S,A)].
/// @source seed 000, eq. 2.6 (Watkins 1989); test: tests/unit/learn/fixed_point_test.cpp
class QLearner final : public TabularAgent {
public:
    using TabularAgent::TabularAgent;

    void learn(const Step& step) noexcept override {
        q_.towards(step.state, step.action, step.reward + gamma_ * q_.highest(step.next_state()), step.alpha);
    }
};

/// Double Q-learning: a fair coin says which of two tables learns, from what the other thinks of its own best action.
/// What the agent believes is the mean of both.
/// @source seed 000, eqs 2.8 and 2.9 (van Hasselt 2010); test: tests/unit/learn/double_q_test.cpp, fixed_point_test.cpp
class DoubleQLearner final : public Agent {
public:
    /// @param gamma  discount factor  @param seed  of the coin  @errors std::bad_alloc
    DoubleQLearner(Sizes sizes, double gamma, Initialiser initial, std::uint64_t seed)
        : gamma_(gamma),
          coin_(seed),
          tables_{QTable(sizes, initial), QTable(sizes, initial)},
          averages_(sizes.actions) {
        for (std::uint32_t a = 0; a < sizes.actions; ++a) average(a);
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
        const double next = other.at(step.next_state(), own.best(step.next_state()));
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

/// QV-learning: values of states by TD(lambda), and Q from them.
///
/// delta = R + gamma V(S') - V(S); e(s) = gamma lambda e(s) + [s = S]; V(s) += alpha delta e(s) for all s;
/// Q(S,A) += alpha [R + gamma V(S') - Q(S,A)], with the V of before the step in both.
/// alpha e(s) counts as 1 at most, no matter how often s occurred: a state that moved by more than the error would
/// swing about the target, and with the default alpha and a gamma of 0.95 ever wider.
/// @source seed 000, eqs 2.10 and 2.11 (Wiering 2005); test: tests/unit/learn/fixed_point_test.cpp
class QvLearner final : public TabularAgent {
public:
    /// How much of the credit goes on to earlier states. More is not needed where the action already is the next state,
    /// and up to here V was never seen to exceed what rewards can add up to, for any alpha and gamma in [0, 1].
    static constexpr double kLambda = 0.5;

    /// @param gamma  discount factor  @errors std::bad_alloc
    QvLearner(Sizes sizes, double gamma, Initialiser initial)
        : TabularAgent(sizes, gamma, initial), values_(sizes.states), traces_(sizes.states, 0.0) {
        for (double& value : values_) value = initial();
    }

    void learn(const Step& step) noexcept override {
        const double target = step.reward + gamma_ * values_[step.next_state()];
        const double delta = target - values_[step.state];
        for (double& trace : traces_) trace *= gamma_ * kLambda;
        traces_[step.state] += 1;
        for (std::size_t s = 0; s < values_.size(); ++s) {
            values_[s] += std::min(1.0, step.alpha * traces_[s]) * delta;
        }
        q_.towards(step.state, step.action, target, step.alpha);
    }

    /// V(S). For tests.
    [[nodiscard]] double state_value(std::uint32_t state) const noexcept { return values_[state]; }

private:
    std::vector<double> values_;  // [S] V
    std::vector<double> traces_;  // [S] e
};

/// SARSA: Q(S,A) += alpha [R + gamma Q(S',A') - Q(S,A)], A' being the action that is really taken next.
/// @source seed 000, eq. 2.7 (Rummery, Niranjan 1994); test: tests/unit/learn/fixed_point_test.cpp, sarsa_test.cpp
class SarsaLearner final : public TabularAgent {
public:
    using TabularAgent::TabularAgent;

    [[nodiscard]] Needs needs() const noexcept override { return Needs::next_action; }

    void learn(const Step& step) noexcept override {
        const double next = q_.at(step.next_state(), step.next_action);
        q_.towards(step.state, step.action, step.reward + gamma_ * next, step.alpha);
    }
};

/// Expected SARSA: Q(S,A) += alpha [R + gamma sum_a pi(a|S') Q(S',a) - Q(S,A)], pi being the policy in use.
/// @source seed 000, eq. 2.12 (van Seijen et al. 2009); test: tests/unit/learn/fixed_point_test.cpp
class ExpectedSarsaLearner final : public TabularAgent {
public:
    using TabularAgent::TabularAgent;

    [[nodiscard]] Needs needs() const noexcept override { return Needs::chances; }

    void learn(const Step& step) noexcept override {
        const std::span<const double> next = q_.row(step.next_state());
        double expected = 0;
        for (std::size_t a = 0; a < next.size(); ++a) expected += step.chances[a] * next[a];
        q_.towards(step.state, step.action, step.reward + gamma_ * expected, step.alpha);
    }
};

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
        const double next = q_.highest(step.next_state());
        q_.towards(step.state, step.action, step.reward - average_reward_ + next, step.alpha);
        if (was_greedy) {
            average_reward_ += kAverageRate * step.alpha * (step.reward - average_reward_ + next - best_here);
        }
    }

    /// rho. For tests.
    [[nodiscard]] double average_reward() const noexcept { return average_reward_; }

private:
    double average_reward_ = 0;
};

}  // namespace gimbal::learn
