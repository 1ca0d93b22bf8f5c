// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/policy_learner.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "learn/parameters.hpp"

namespace gimbal::learn {

PolicyLearner::PolicyLearner(const Parameters& parameters, std::size_t actions, std::uint64_t seed, std::size_t states)
    : parameters_(parameters),
      sizes_(std::max<std::size_t>(states > 0 ? states : actions, 1), std::max<std::size_t>(actions, 1)),
      own_states_(states > 0),
      random_(seed),
      agent_(make_agent(parameters, sizes_, random_)),
      policy_(make_policy(parameters, sizes_.actions)),
      reward_(make_reward(parameters)),
      times_(sizes_.actions),
      chances_(sizes_.actions),
      row_(own_states_ ? sizes_.actions : 0) {
    waiting_.reserve(kWaiting);
    set_rates();
}

Pick PolicyLearner::next_in(std::uint32_t state) {
    assert(state < sizes_.states);
    Pick pick{.state = state};
    if (limit_reached()) {
        pick.action = keep_best(state);
    } else {
        pick = policy_->pick(state, beliefs(state), random_);
        complete_waiting(pick.action);
    }
    pick.number = picks_.add(pick.action);
    state_ = pick.action;
    return pick;
}

bool PolicyLearner::limit_reached() const noexcept {
    return parameters_.steps_limit != 0 && picks_.made() >= parameters_.steps_limit;
}

// The row is good until the next call.
Beliefs PolicyLearner::beliefs(std::uint32_t state) noexcept {
    if (own_states_) agent_->row(state, row_);
    return {.agent = *agent_, .times = times_, .epsilon = epsilon_, .row = row_};
}

/// The search is over: what is best now stays, and later signals change nothing.
std::uint32_t PolicyLearner::keep_best(std::uint32_t state) noexcept {
    if (own_states_) {
        keeping_ = true;
        agent_->row(state, row_);
        return best_of(row_);
    }
    if (!keeping_) {
        complete_waiting(best());
        kept_ = best();
        keeping_ = true;
    }
    return kept_;
}

void PolicyLearner::observe(const Pick& pick, const Signals& signals, std::uint32_t after) {
    assert(pick.state < sizes_.states && pick.action < sizes_.actions && after < sizes_.states);
    if (keeping_ || pick.state >= sizes_.states || pick.action >= sizes_.actions || after >= sizes_.states) return;
    times_.add(pick.action, signals.loop_time_s);
    const double signal = signal_of(parameters_.reward, signals);
    if (!std::isfinite(signal)) return;
    const double reward = reward_->of(signal);
    if (!std::isfinite(reward)) return;
    thought_ = {.step = ++steps_,
                .state = pick.state,
                .action = pick.action,
                .signal = signal,
                .reward = reward,
                .epsilon = epsilon_,
                .alpha = alpha_};
    const double imbalance = signals.imbalance.percent_imbalance;
    const Step step{.state = pick.state,
                    .action = pick.action,
                    .reward = reward,
                    .alpha = alpha_,
                    .loop_time_s = std::isfinite(signals.loop_time_s) ? signals.loop_time_s : 0,
                    .imbalance = std::isfinite(imbalance) ? imbalance : 0,
                    .after = after};
    set_rates();  // before the step is learnt: the chances of the next pick are those with its epsilon
    learn(step, pick.number);
}

void PolicyLearner::learn(Step step, std::uint64_t number) noexcept {
    if (agent_->needs() == Needs::next_action) {
        if (const std::optional<std::uint32_t> after = picks_.after(number)) {
            step.next_action = *after;
        } else if (waiting_.size() < kWaiting) {
            waiting_.push_back(step);  // within what was reserved
            return;
        } else {
            step.next_action = state_;
        }
    } else if (agent_->needs() == Needs::chances) {
        policy_->chances(step.next_state(), beliefs(step.next_state()), chances_);
        step.chances = chances_;
    }
    agent_->learn(step);
}

void PolicyLearner::complete_waiting(std::uint32_t next_action) noexcept {
    for (Step& step : waiting_) {
        step.next_action = next_action;
        agent_->learn(step);
    }
    waiting_.clear();
}

void PolicyLearner::set_rates() noexcept {
    const Parameters& p = parameters_;
    alpha_ = decayed(p.decay, p.alpha, p.alpha_decay, p.alpha_min, steps_);
    epsilon_ = decayed(p.decay, p.epsilon, p.epsilon_decay, p.epsilon_min, steps_);
}

double PolicyLearner::value(std::uint32_t action) const noexcept {
    assert(action < sizes_.actions);
    return action < sizes_.actions ? agent_->averages()[action] : 0;
}

std::uint32_t PolicyLearner::best() const noexcept {
    return best_of(agent_->averages());
}

/// An action that never ran may look best only because its initial value does; it is no result.
std::uint32_t PolicyLearner::best_of(std::span<const double> values) const noexcept {
    bool any = false;
    for (std::uint32_t a = 0; a < sizes_.actions && !any; ++a) any = times_.tried(a);
    return greedy(values, times_, [&](std::uint32_t a) { return !any || times_.tried(a); });
}

std::unique_ptr<Learner> make_learner(const Parameters& parameters, std::size_t actions, std::uint64_t seed,
                                      std::size_t states) {
    return std::make_unique<PolicyLearner>(parameters, actions, seed, states);
}

}  // namespace gimbal::learn
