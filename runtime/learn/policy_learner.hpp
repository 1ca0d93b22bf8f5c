// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/action_times.hpp"
#include "learn/learner.hpp"
#include "learn/policies.hpp"
#include "learn/rewards.hpp"

namespace gimbal::learn {

/// Which action followed a pick. Of picks whose signals never come nothing has to be forgotten: only the last ones are
/// remembered.
/// @threads guarded by its owner  @cost O(1)
class RecentPicks {
public:
    /// How many picks back the following one is known [count]; more than any program has executions of one loop at once
    /// outside of deep nesting, where a wrong successor does little harm.
    static constexpr std::size_t kKept = 64;

    /// @return the new pick's number, from 1
    std::uint64_t add(std::uint32_t action) noexcept {
        actions_[++last_ % kKept] = action;
        return last_;
    }

    /// The action of the pick after this one.
    /// @return nothing if it was not made yet, is too long ago, or the number is none
    [[nodiscard]] std::optional<std::uint32_t> after(std::uint64_t number) const noexcept {
        if (number == 0 || number >= last_ || last_ - number > kKept) return std::nullopt;
        return actions_[(number + 1) % kKept];
    }

    /// Picks made so far [count].
    [[nodiscard]] std::uint64_t made() const noexcept { return last_; }

private:
    std::array<std::uint32_t, kKept> actions_{};
    std::uint64_t last_ = 0;
};

/// An agent, a policy and a reward put together.
/// @cost next() and observe() O(K) with tables, a fraction of a microsecond for a dozen actions; nothing is allocated
///       after construction
class PolicyLearner final : public Learner {
public:
    /// @errors std::bad_alloc
    PolicyLearner(const Parameters& parameters, std::size_t actions, std::uint64_t seed, std::size_t states);

    [[nodiscard]] Pick next() override { return next_in(state_); }
    [[nodiscard]] Pick next_in(std::uint32_t state) override;
    using Learner::observe;
    void observe(const Pick& pick, const Signals& signals, std::uint32_t after) override;
    [[nodiscard]] Thought thought() const noexcept override { return thought_; }
    [[nodiscard]] double value(std::uint32_t action) const noexcept override;
    [[nodiscard]] std::uint32_t best() const noexcept override;

private:
    /// Steps that may wait for the next pick at once [count]. More than one waits only if picks were given back without
    /// their numbers, or after RecentPicks::kKept others.
    static constexpr std::size_t kWaiting = 64;

    [[nodiscard]] Beliefs beliefs(std::uint32_t state) noexcept;
    [[nodiscard]] bool limit_reached() const noexcept;
    std::uint32_t keep_best(std::uint32_t state) noexcept;
    [[nodiscard]] std::uint32_t best_of(std::span<const double> values) const noexcept;
    void learn(Step step, std::uint64_t number) noexcept;
    void complete_waiting(std::uint32_t next_action) noexcept;
    void set_rates() noexcept;

    Parameters parameters_;
    Sizes sizes_;
    bool own_states_;  // the owner's, not the action before
    Random random_;
    std::unique_ptr<Agent> agent_;
    std::unique_ptr<Policy> policy_;
    std::unique_ptr<Reward> reward_;
    ActionTimes times_;
    RecentPicks picks_;
    std::vector<Step> waiting_;    // for the next action; at most kWaiting
    std::vector<double> chances_;  // [K] scratch
    std::vector<double> row_;      // the same
    std::uint32_t state_ = 0;      // the last action picked
    std::uint32_t kept_ = 0;
    bool keeping_ = false;
    double alpha_ = 0;
    double epsilon_ = 0;
    std::uint64_t steps_ = 0;  // learnt from
    Thought thought_;
};

}  // namespace gimbal::learn
