// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gimbal/random.hpp"
#include "learn/agents/agent.hpp"

namespace gimbal::test {

/// A decision process as learners meet it: the state is the last action, and R(s, a) is known.
struct Chain {
    std::size_t actions = 0;
    double gamma = 0;
    std::vector<double> rewards;  // [K][K]

    [[nodiscard]] double reward(std::size_t state, std::size_t action) const {
        return rewards[state * actions + action];
    }
};

/// Rewards uniform in [-1, 1].
inline Chain random_chain(std::size_t actions, double gamma, std::uint64_t seed) {
    Random random(seed);
    Chain chain{.actions = actions, .gamma = gamma, .rewards = {}};
    for (std::size_t i = 0; i < actions * actions; ++i) chain.rewards.push_back(2 * random.unit() - 1);
    return chain;
}

using Row = std::vector<double>;

/// Solves Q(s,a) = R(s,a) + gamma next(Q(a,.)) by applying it until nothing changes.
inline std::vector<Row> fixed_point(const Chain& chain, const std::function<double(const Row&)>& next) {
    std::vector<Row> q(chain.actions, Row(chain.actions, 0.0));
    for (int sweep = 0; sweep < 2000; ++sweep) {
        std::vector<double> values;
        for (const Row& row : q) values.push_back(next(row));
        for (std::size_t s = 0; s < chain.actions; ++s) {
            for (std::size_t a = 0; a < chain.actions; ++a) q[s][a] = chain.reward(s, a) + chain.gamma * values[a];
        }
    }
    return q;
}

inline double highest(const Row& row) {
    return *std::max_element(row.begin(), row.end());
}

inline double mean(const Row& row) {
    double sum = 0;
    for (const double value : row) sum += value;
    return sum / static_cast<double>(row.size());
}

/// Lets an agent learn from picks that are uniform over all actions, at a rate that sinks with the steps so that
/// its beliefs converge.
inline void learn_uniformly(learn::Agent& agent, const Chain& chain, std::uint64_t seed, int steps) {
    Random random(seed);
    const std::vector<double> chances(chain.actions, 1.0 / static_cast<double>(chain.actions));
    const auto draw = [&] { return static_cast<std::uint32_t>(random.between(0, chain.actions - 1)); };
    std::uint32_t state = 0;
    std::uint32_t action = draw();
    for (int t = 0; t < steps; ++t) {
        const std::uint32_t next = draw();
        agent.learn({.state = state,
                     .action = action,
                     .reward = chain.reward(state, action),
                     .alpha = 0.5 / std::pow(1 + t / 200.0, 0.8),
                     .next_action = next,
                     .chances = chances});
        state = action;
        action = next;
    }
}

inline std::vector<Row> table_of(const learn::Agent& agent, std::size_t actions) {
    std::vector<Row> q(actions, Row(actions));
    for (std::uint32_t s = 0; s < actions; ++s) agent.row(s, q[s]);
    return q;
}

/// The largest difference of two tables.
inline double distance(const std::vector<Row>& a, const std::vector<Row>& b) {
    double largest = 0;
    for (std::size_t s = 0; s < a.size(); ++s) {
        for (std::size_t i = 0; i < a[s].size(); ++i) largest = std::max(largest, std::abs(a[s][i] - b[s][i]));
    }
    return largest;
}

}  // namespace gimbal::test
