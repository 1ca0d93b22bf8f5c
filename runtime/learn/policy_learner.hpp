// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "learn/action_times.hpp"
#include "learn/learner.hpp"
#include "learn/policies/policy.hpp"
#include "learn/recent_picks.hpp"
#include "learn/rewards/reward.hpp"

namespace gimbal::learn {

/// An agent, a policy and a reward put together.
/// @cost next() and observe() O(K) with tables, a fraction of a microsecond for a dozen actions; nothing is allocated
///       after construction
class PolicyLearner final : public Learner {
public:
    /// @errors std::bad_alloc
    PolicyLearner(const Parameters& parameters, std::size_t actions, std::uint64_t seed);

    [[nodiscard]] Pick next() override;
    void observe(const Pick& pick, const Signals& signals) override;
    [[nodiscard]] Thought thought() const noexcept override { return thought_; }
    [[nodiscard]] double value(std::uint32_t action) const noexcept override;
    [[nodiscard]] std::uint32_t best() const noexcept override;

private:
    /// Steps that may wait for the next pick at once [count]. More than one waits only if picks were given back without
    /// their numbers, or after RecentPicks::kKept others.
    static constexpr std::size_t kWaiting = 64;

    [[nodiscard]] Beliefs beliefs() const noexcept { return {.agent = *agent_, .times = times_, .epsilon = epsilon_}; }
    [[nodiscard]] bool limit_reached() const noexcept;
    std::uint32_t keep_best() noexcept;
    void learn(Step step, std::uint64_t number) noexcept;
    void complete_waiting(std::uint32_t next_action) noexcept;
    void set_rates() noexcept;

    Parameters parameters_;
    std::size_t actions_;
    Random random_;
    std::unique_ptr<Agent> agent_;
    std::unique_ptr<Policy> policy_;
    std::unique_ptr<Reward> reward_;
    ActionTimes times_;
    RecentPicks picks_;
    std::vector<Step> waiting_;    // for the next action; at most kWaiting
    std::vector<double> chances_;  // [K] scratch
    std::uint32_t state_ = 0;      // the last action picked
    std::uint32_t kept_ = 0;
    bool keeping_ = false;
    double alpha_ = 0;
    double epsilon_ = 0;
    std::uint64_t steps_ = 0;  // learnt from
    Thought thought_;
};

}  // namespace gimbal::learn
