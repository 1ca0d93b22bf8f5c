// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/steal_agent.hpp"

#include <cmath>
#include <map>
#include <mutex>
#include <string>

#include "gimbal/rank_loop.h"
#include "learn/names.hpp"
#include "learn/portfolio.hpp"
#include "process/warnings.hpp"
#include "select/agent_settings.hpp"
#include "select/selector.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMostWaiting = 64;  // who is never told of so many executions is told of the last ones only

/// What the reward goes by where two figures of the ranks' times are all that is known.
learn::RewardKind known_reward(learn::RewardKind asked) {
    using enum learn::RewardKind;
    learn::RewardKind taken = asked;
    if (asked == stddev || asked == cov || asked == skewness || asked == kurtosis) taken = loadimbalance;
    if (asked == ips) taken = looptime;
    if (taken != asked)
        warn_once("the reward " + std::string(learn::word_of(asked)) + " goes by " +
                  std::string(learn::word_of(taken)) + " for steal ratios: more is not known of the ranks");
    return taken;
}

struct Agents {
    std::mutex mutex;
    std::map<std::string, StealAgent, std::less<>> by_name;
};

// Never destroyed: loops may run while the process ends.
Agents& agents() {
    static Agents* const all = new Agents;
    return *all;
}

}  // namespace

StealAgent::StealAgent(const SelectorSettings& settings, std::uint64_t seed)
    : ratios_(learn::steal_ratio_portfolio(settings.steal_ratios)) {
    for (double& ratio : ratios_) ratio /= 100;
    learn::Parameters parameters = agent_parameters(settings, settings.secondary);
    parameters.reward = known_reward(parameters.reward);
    learner_ = learn::make_learner(parameters, ratios_.size(), seed);
}

double StealAgent::choose() {
    if (waiting_.size() == kMostWaiting) waiting_.pop_front();
    waiting_.push_back(learner_->next());
    return ratios_[waiting_.back().action];
}

void StealAgent::learn(double loop_time_s, double busy_max_s, double busy_mean_s) {
    if (waiting_.empty()) return;
    const learn::Pick pick = waiting_.front();
    waiting_.pop_front();
    if (!(loop_time_s > 0) || !std::isfinite(loop_time_s)) return;
    learn::Signals signals;
    signals.loop_time_s = loop_time_s;
    if (busy_mean_s > 0 && busy_max_s >= busy_mean_s) {
        signals.imbalance.percent_imbalance = busy_max_s / busy_mean_s - 1;
        signals.imbalance.lost = 1 - busy_mean_s / busy_max_s;
    }
    learner_->observe(pick, signals);
}

}  // namespace gimbal

extern "C" {

void* gimbal_steal_agent(const char* name) {
    using namespace gimbal;
    Agents& all = agents();
    const std::lock_guard lock(all.mutex);
    auto found = all.by_name.find(std::string_view(name));
    if (found == all.by_name.end())
        found = all.by_name.try_emplace(name, options().select_ranks, loop_seed(name, 0)).first;
    return &found->second;
}

double gimbal_steal_choose(void* agent) {
    return static_cast<gimbal::StealAgent*>(agent)->choose();
}

void gimbal_steal_learn(void* agent, double loop_time_s, double busy_max_s, double busy_mean_s) {
    static_cast<gimbal::StealAgent*>(agent)->learn(loop_time_s, busy_max_s, busy_mean_s);
}

}  // extern "C"
