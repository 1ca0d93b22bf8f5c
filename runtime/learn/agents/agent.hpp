// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gimbal/random.hpp"
#include "learn/parameters.hpp"

namespace gimbal::learn {

/// How many states and actions there are, each >= 1 [count].
struct Sizes {
    std::size_t states;   ///< S
    std::size_t actions;  ///< K

    /// The state is the action that ran last.
    Sizes(std::size_t k) noexcept : states(k), actions(k) {}  // NOLINT(google-explicit-constructor)
    Sizes(std::size_t s, std::size_t k) noexcept : states(s), actions(k) {}
    [[nodiscard]] bool state_is_action() const noexcept { return states == actions; }
};

/// One step to learn from.
struct Step {
    static constexpr std::uint32_t kAction = UINT32_MAX;

    std::uint32_t state = 0;               ///< S, the choice that ran before
    std::uint32_t action = 0;              ///< A, the choice that ran
    double reward = 0;                     ///< R
    double alpha = 0;                      ///< learning rate in force
    std::uint32_t next_action = 0;         ///< A', what is really taken in S'; only for agents that need it
    std::span<const double> chances = {};  ///< [K] pi(a|S'); only for agents that need them
    double loop_time_s = 0;                ///< of the step [s]
    double imbalance = 0;                  ///< max / mean - 1 of the step's workers
    std::uint32_t after = kAction;         ///< S'; kAction: the state is the action that ran last

    [[nodiscard]] std::uint32_t next_state() const noexcept { return after == kAction ? action : after; }
};

/// What an agent must be told besides S, A and R.
enum class Needs : std::uint8_t { nothing, next_action, chances };

/// Beliefs about what an action is worth in a state, and how a step changes them.
/// @threads guarded by its owner
class Agent {
public:
    virtual ~Agent() = default;

    /// Q(S, a) for all a.
    /// @param values  [K] out  @cost O(K), with a network O(K H)
    virtual void row(std::uint32_t state, std::span<double> values) const noexcept = 0;

    /// [K] Q averaged over states, kept up to date, so that the best is found in O(K). Networks keep it only where the
    /// state is an action: other owners go by row().
    [[nodiscard]] virtual std::span<const double> averages() const noexcept = 0;

    [[nodiscard]] virtual Needs needs() const noexcept { return Needs::nothing; }

    /// Nothing is allocated.
    /// @param step  states < S, actions < K
    virtual void learn(const Step& step) noexcept = 0;
};

/// @return never nullptr
/// @errors std::bad_alloc  @cost O(S K), for dqn what its network has
[[nodiscard]] std::unique_ptr<Agent> make_agent(const Parameters& parameters, Sizes sizes, Random& random);

}  // namespace gimbal::learn
