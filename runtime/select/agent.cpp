// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/agent.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/warnings.hpp"
#include "learn/names.hpp"
#include "learn/portfolio.hpp"

namespace gimbal {

namespace {

/// Standard deviations and higher moments go over all workers; the others need maximum and mean only.
bool needs_moments(learn::RewardKind reward) noexcept {
    using enum learn::RewardKind;
    return reward == stddev || reward == cov || reward == skewness || reward == kurtosis;
}

/// The third and fourth moments of the workers' times do not know how long the loop took.
void warn_of_shape(learn::RewardKind reward, std::uint32_t workers) {
    if (reward != learn::RewardKind::skewness && reward != learn::RewardKind::kurtosis) return;
    const std::string name = "the reward " + std::string(learn::word_of(reward));
    if (workers <= 2)
        warn_once(name +
                  " is the same for every technique with 2 workers: nothing can be learnt from it. Use looptime");
    else
        warn_once(name +
                  " measures the shape of the workers' times, not their length: agents end with "
                  "slower techniques than a blind choice. Use looptime");
}

}  // namespace

learn::Parameters agent_parameters(const SelectorSettings& settings, std::string_view agent) noexcept {
    const learn::Parameters usual;
    return {.agent = learn::agent_of(agent).value_or(usual.agent),
            .policy = learn::policy_of(settings.policy).value_or(usual.policy),
            .reward = learn::reward_of(settings.reward).value_or(usual.reward),
            .init = learn::init_of(settings.init).value_or(usual.init),
            .decay = learn::decay_of(settings.decay).value_or(usual.decay),
            .gamma = settings.gamma,
            .alpha = settings.alpha,
            .alpha_decay = settings.alpha_decay,
            .alpha_min = settings.alpha_min,
            .epsilon = settings.epsilon,
            .epsilon_decay = settings.epsilon_decay,
            .epsilon_min = settings.epsilon_min,
            .tau = settings.tau,
            .inverse_multiplier = settings.inverse_multiplier,
            .average_window = settings.average_window,
            .rewards = settings.rewards,
            .steps_limit = settings.steps_limit};
}

AgentSelector::AgentSelector(Setup setup, const learn::Parameters& parameters, std::uint64_t seed)
    : PortfolioSelector(std::move(setup)), parameters_(parameters), seed_(seed) {}

void AgentSelector::begin(const LoopContext& context) {
    learner_ = learn::make_learner(parameters_, size(), seed_);
    if (needs_moments(parameters_.reward)) times_s_.reserve(context.workers);
    if (parameters_.reward == learn::RewardKind::ips)
        warn_once("the reward ips uses iterations per second: instructions are not counted");
    warn_of_shape(parameters_.reward, context.workers);
}

void AgentSelector::observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) {
    learn::Signals signals;
    signals.loop_time_s = record.loop_time * context.tick_s;
    signals.instructions_per_second = static_cast<double>(record.iterations) / signals.loop_time_s;
    if (needs_moments(parameters_.reward)) {
        times_s_.clear();
        for (const WorkerRecord& worker : record.workers)
            times_s_.push_back(static_cast<double>(worker.end - worker.begin) * context.tick_s);
        signals.imbalance = imbalance_of(times_s_);
    } else if (record.busy_mean > 0) {
        signals.imbalance.percent_imbalance = record.busy_max / record.busy_mean - 1;
        signals.imbalance.lost = 1 - record.busy_mean / record.busy_max;
    }
    learner_->observe(pick, signals);
}

std::optional<learn::Thought> AgentSelector::thought() const {
    if (!learner_) return std::nullopt;
    const learn::Thought last = learner_->thought();
    return last.step > 0 ? std::optional(last) : std::nullopt;
}

ChunkAgentSelector::ChunkAgentSelector(const Schedule& base, Setup setup, const learn::Parameters& parameters,
                                       std::uint64_t seed)
    : AgentSelector(std::move(setup), parameters, seed), base_(base) {}

void ChunkAgentSelector::begin(const LoopContext& context) {
    // A loop with ascending chunks cannot have every technique; ss serves it as well.
    if (context.monotonic && !base_.technique->info().monotonic) base_ = {find_technique("ss")};
    cut_for_ = context.iterations;
    chunks_ = learn::chunk_portfolio(context.iterations, context.workers);
    Portfolio portfolio(chunks_.size(), base_);
    for (std::size_t i = 0; i < chunks_.size(); ++i) portfolio[i].chunk = chunks_[i];
    replace(std::move(portfolio));
    AgentSelector::begin(context);
}

Schedule ChunkAgentSelector::choice_at(std::uint32_t place, const LoopContext& context) {
    const std::uint64_t n = context.iterations;
    if (n / 2 > cut_for_ || n < cut_for_ / 2) {
        cut_for_ = n;
        std::uint64_t chunk = n / std::max<std::uint32_t>(context.workers, 1);
        for (std::uint64_t& each : chunks_) {
            each = std::max<std::uint64_t>(chunk, 1);
            chunk /= 2;
        }
    }
    Schedule choice = base_;
    choice.chunk = chunks_[place];
    return choice;
}

}  // namespace gimbal
