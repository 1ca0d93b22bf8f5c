// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gimbal/options.hpp"
#include "learn/learner.hpp"

namespace gimbal {

/// `steal-ratio`, the seed's StealRatioSelector: a secondary agent learns which part of what a victim has left a thief
/// should take. Actions are the ratios of learn::steal_ratio_portfolio(); every execution of the loop is one step.
///
/// Rewards that go over all ranks' times (stddev, cov, skewness, kurtosis) go by loadimbalance here, and ips by
/// looptime: no more is known than the slowest rank and the mean. That is said once.
/// @threads the owner locks  @cost that of the learner
/// @source seed 000, section 4.2 and eq. 4.3; test: tests/unit/ranks/steal_agent_test.cpp
class StealAgent {
public:
    /// @param settings  secondary agent, policy, reward, ... and how many ratios there are
    StealAgent(const SelectorSettings& settings, std::uint64_t seed);

    /// The ratio for the next execution, in (0, 1].
    [[nodiscard]] double choose();

    /// What the earliest execution showed that was chosen for and not told of yet. A time that is not positive teaches
    /// nothing; without such an execution this does nothing. All in [s].
    void learn(double loop_time_s, double busy_max_s, double busy_mean_s);

    /// The ratio that is believed to be the best.
    [[nodiscard]] double best() const noexcept { return ratios_[learner_->best()]; }

private:
    std::vector<double> ratios_;  // parts of one, ascending
    std::unique_ptr<learn::Learner> learner_;
    std::deque<learn::Pick> waiting_;  // chosen for, not told of; few
};

}  // namespace gimbal
