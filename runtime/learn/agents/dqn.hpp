// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/agents/agent.hpp"
#include "learn/agents/network.hpp"
#include "learn/agents/replay.hpp"
#include "learn/initialiser.hpp"

namespace gimbal::learn {

/// Q-learning with a small network in place of the table: replayed steps, a target network that follows in jumps, and
/// stochastic gradient descent. Outputs are in units of the largest reward so far.
/// @cost some microseconds per step with a dozen actions: 2 backward passes, of the step and of one that is replayed,
///       and K forward passes in every fourth step; O(K H) memory
/// @source Mnih et al. 2015. LB4OMP has a number for it, but an update() that does nothing; test:
///         tests/unit/learn/network_test.cpp
class DqnLearner final : public Agent {
public:
    /// @param gamma  discount factor  @errors std::bad_alloc
    DqnLearner(Sizes sizes, double gamma, Initialiser initial, std::uint64_t seed);

    void row(std::uint32_t state, std::span<double> values) const noexcept override;
    [[nodiscard]] std::span<const double> averages() const noexcept override { return averages_; }
    void learn(const Step& step) noexcept override;

private:
    void fit_scale(double reward) noexcept;
    void descend(const Replay::Entry& entry, double rate) noexcept;
    void average() noexcept;

    bool averages_count_;  // the state is an action
    double gamma_;
    Random random_;
    double scale_ = 0;             // what an output of 1 stands for; 0: no reward but 0 so far
    std::vector<double> scratch_;  // [K]
    Network network_;
    Network target_;
    Replay replay_;
    std::uint64_t steps_ = 0;
    std::vector<double> averages_;  // [K]
};

}  // namespace gimbal::learn
