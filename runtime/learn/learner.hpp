// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "learn/parameters.hpp"
#include "measure/record.hpp"

namespace gimbal::learn {

/// What one execution showed, for rewards.
struct Signals {
    double loop_time_s = 0;              ///< of the slowest worker [s]
    Imbalance imbalance = {};            ///< of the workers' times [s]
    double instructions_per_second = 0;  ///< or whatever progress could be measured, per second
};

/// One pick: which action, from which state. The state is the action that was picked before, unless the owner has
/// states of its own.
struct Pick {
    std::uint32_t state = 0;
    std::uint32_t action = 0;
    bool exploring = false;    ///< picked to learn, not because it is believed to be the best
    std::uint64_t number = 0;  ///< which pick it is, from 1: tells picks apart that overlap; 0: not known
};

/// What the learner thought at the last step that it learnt from; one row of the agent statistics.
struct Thought {
    std::uint64_t step = 0;  ///< steps learnt from so far [count]
    std::uint32_t state = 0;
    std::uint32_t action = 0;
    double signal = 0;  ///< in the reward's own unit
    double reward = 0;
    double epsilon = 0;  ///< in force
    double alpha = 0;    ///< in force
};

/// An agent with its policy, reward, initialiser and decays: picks among K actions and learns from what they showed.
/// A pure state machine: no clock, no global state, the same sequence for the same seed and signals.
/// @threads the owner locks
class Learner {
public:
    virtual ~Learner() = default;

    /// The next action to run. Under sarsa this also completes the update of the step before, which needs to know what
    /// is really taken next.
    [[nodiscard]] virtual Pick next() = 0;

    /// The same, for learners that were made with states. @param state  < S
    [[nodiscard]] virtual Pick next_in(std::uint32_t state) = 0;

    /// What the execution of a pick showed. Picks may overlap: each gets its own signals, in any order; some may never
    /// get any.
    void observe(const Pick& pick, const Signals& signals) { observe(pick, signals, pick.action); }
    /// @param after  the state that it led to, < S
    virtual void observe(const Pick& pick, const Signals& signals, std::uint32_t after) = 0;

    /// The last step that was learnt from.
    [[nodiscard]] virtual Thought thought() const noexcept = 0;

    /// Value of an action by itself: Q averaged over states (or what the agent has instead).
    [[nodiscard]] virtual double value(std::uint32_t action) const noexcept = 0;

    /// The action that is believed to be the best. Ties go to the one with the lower mean loop time, untried ones last.
    [[nodiscard]] virtual std::uint32_t best() const noexcept = 0;
};

/// @param actions     K, >= 1
/// @param seed        of everything random
/// @param states      S; 0: the state is the action that was picked before. With states of the owner the best action is
///                    the best one in the state, not on average
/// @return never nullptr
/// @errors std::bad_alloc  @cost O(S K), or what a dqn has
[[nodiscard]] std::unique_ptr<Learner> make_learner(const Parameters& parameters, std::size_t actions,
                                                    std::uint64_t seed, std::size_t states = 0);

}  // namespace gimbal::learn
