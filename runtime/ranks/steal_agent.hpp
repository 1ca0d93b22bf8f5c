// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
    /// @param recorded  ratios to follow instead, of GIMBAL_REPLAY, not empty; nullptr: it learns. Must stay
    StealAgent(const SelectorSettings& settings, std::uint64_t seed, const std::vector<double>* recorded = nullptr);

    /// An execution that a ratio was chosen for.
    struct Step {
        std::uint64_t number = 0;                    ///< executions before it [count]
        double ratio = 0;                            ///< that was chosen, in (0, 1]
        learn::Pick pick = {};                       ///< of the learner, unless ratios are recorded
        std::optional<learn::Thought> thought = {};  ///< if it taught something
    };
    /// What the next execution is to run with.
    [[nodiscard]] Step choose();

    /// What an execution showed. A time that is not positive teaches nothing. All in [s].
    /// @param number  of its step  @return nullopt: no such step waits for it
    std::optional<Step> learn(std::uint64_t number, double loop_time_s, double busy_max_s, double busy_mean_s);

    /// The ratio that is believed to be the best.
    [[nodiscard]] double best() const noexcept { return ratios_[learner_->best()]; }

private:
    std::vector<double> ratios_;  // parts of one, ascending
    std::unique_ptr<learn::Learner> learner_;
    std::deque<Step> waiting_;  // chosen for, not told of, by number; few
    const std::vector<double>* recorded_;
    std::uint64_t chosen_ = 0;  // executions
};

}  // namespace gimbal
