// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/steal_agent.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/warnings.hpp"
#include "gimbal/per_rank.hpp"
#include "gimbal/rank_loop.h"
#include "learn/names.hpp"
#include "learn/portfolio.hpp"
#include "report/steps.hpp"
#include "select/agent.hpp"
#include "select/recording.hpp"
#include "select/selector.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMaxWaiting = 64;  // older unreported executions are discarded

/// What the reward goes by where two figures of the ranks' times are all that is known.
learn::RewardKind known_reward(learn::RewardKind asked) {
    using enum learn::RewardKind;
    learn::RewardKind taken = asked;
    if (asked == stddev || asked == cov || asked == skewness || asked == kurtosis) taken = loadimbalance;
    if (asked == ips) taken = looptime;
    if (taken != asked)
        warn_once("the reward " + std::string(learn::word_of(asked)) + " is replaced by " +
                  std::string(learn::word_of(taken)) + " for steal ratios: nothing else is measured over ranks");
    return taken;
}

/// Loops of one name on communicators of one size share it, perhaps from several threads.
struct LockedAgent {
    LockedAgent(const SelectorSettings& settings, std::uint64_t seed, const std::vector<double>* recorded)
        : agent(settings, seed, recorded) {}
    std::mutex mutex;  // of:
    StealAgent agent;
};

struct Agents {
    std::mutex mutex;
    std::map<std::pair<std::string, std::uint32_t>, LockedAgent> by_name;  // and number of ranks
};
using NamedAgent = decltype(Agents::by_name)::value_type;

Agents& agents() {
    static PerRank<Agents> all;
    return all.here();
}

}  // namespace

StealAgent::StealAgent(const SelectorSettings& settings, std::uint64_t seed, const std::vector<double>* recorded)
    : ratios_(learn::steal_ratio_portfolio(settings.steal_ratios)), recorded_(recorded) {
    for (double& ratio : ratios_) ratio /= 100;
    learn::Parameters parameters = agent_parameters(settings, settings.secondary);
    parameters.reward = known_reward(parameters.reward);
    learner_ = learn::make_learner(parameters, ratios_.size(), seed);
}

StealAgent::Step StealAgent::choose() {
    if (waiting_.size() == kMaxWaiting) waiting_.pop_front();
    Step next{.number = chosen_++};
    if (recorded_) {
        next.ratio = (*recorded_)[std::min<std::uint64_t>(next.number, recorded_->size() - 1)];
    } else {
        next.pick = learner_->next();
        next.ratio = ratios_[next.pick.action];
    }
    waiting_.push_back(next);
    return next;
}

std::optional<StealAgent::Step> StealAgent::learn(std::uint64_t number, double loop_time_s, double busy_max_s,
                                                  double busy_mean_s) {
    const auto found =
        std::find_if(waiting_.begin(), waiting_.end(), [number](const Step& step) { return step.number == number; });
    if (found == waiting_.end()) return std::nullopt;
    Step told = *found;
    waiting_.erase(found);
    if (recorded_ || !(loop_time_s > 0) || !std::isfinite(loop_time_s)) return told;
    learn::Signals signals;
    signals.loop_time_s = loop_time_s;
    if (busy_mean_s > 0 && busy_max_s >= busy_mean_s) {
        signals.imbalance.percent_imbalance = busy_max_s / busy_mean_s - 1;
        signals.imbalance.lost = 1 - busy_mean_s / busy_max_s;
    }
    learner_->observe(told.pick, signals);
    told.thought = learner_->thought();
    return told;
}

}  // namespace gimbal

extern "C" {

void* gimbal_steal_agent(const char* name, uint32_t ranks) {
    using namespace gimbal;
    Agents& all = agents();
    const std::lock_guard lock(all.mutex);
    const std::pair key(std::string(name), ranks);
    auto found = all.by_name.find(key);
    if (found == all.by_name.end()) {
        const Recording* const recording = recording_to_replay();
        const std::vector<double>* const ratios = recording ? recording->find_ratios(name, ranks) : nullptr;
        found = all.by_name.try_emplace(key, options().select_ranks, loop_seed(name, 0), ratios).first;
    }
    return &*found;
}

double gimbal_steal_choose(void* agent, uint64_t* step) {
    auto& [mutex, chooser] = static_cast<gimbal::NamedAgent*>(agent)->second;
    const std::lock_guard lock(mutex);
    const gimbal::StealAgent::Step next = chooser.choose();
    *step = next.number;
    return next.ratio;
}

void gimbal_steal_learn(void* agent, uint64_t number, double loop_time_s, double busy_max_s, double busy_mean_s) {
    using namespace gimbal;
    auto& [key, locked] = *static_cast<NamedAgent*>(agent);
    const std::lock_guard lock(locked.mutex);
    const auto step = locked.agent.learn(number, loop_time_s, busy_max_s, busy_mean_s);
    if (!step || !steps_wanted()) return;
    const double tick_s = seconds_per_tick();
    record_step({.loop = key.first,
                 .workers = key.second,
                 .over_ranks = true,
                 .step = step->number,
                 .steal_ratio = step->ratio,
                 .reason = "steal-ratio",
                 .exploring = step->pick.exploring,
                 .loop_time = std::isfinite(loop_time_s) ? loop_time_s / tick_s : 0,
                 .busy_max = busy_max_s / tick_s,
                 .busy_mean = busy_mean_s / tick_s,
                 .thought = step->thought});
}

}  // extern "C"
