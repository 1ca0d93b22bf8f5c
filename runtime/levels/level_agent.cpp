// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/level_agent.hpp"

#include <string>

#include "base/warnings.hpp"
#include "learn/names.hpp"

namespace gimbal::levels {

namespace {

constexpr double kGiveUp = 2;  // times the fastest pair's time

/// Of the levels two figures are known, their mean and their slowest.
learn::Parameters known(learn::Parameters parameters) {
    using enum learn::RewardKind;
    const learn::RewardKind asked = parameters.reward;
    if (asked != stddev && asked != cov && asked != skewness && asked != kurtosis) return parameters;
    parameters.reward = loadimbalance;
    warn_once("the reward " + std::string(learn::word_of(asked)) +
              " is replaced by loadimbalance for GIMBAL_SELECT=levels: of a level only mean and maximum are known");
    return parameters;
}

}  // namespace

LevelAgent::LevelAgent(const PairTable& table, Pair first, const learn::Parameters& parameters, std::uint64_t seed,
                       double tick_s)
    : table_(table),
      tick_s_(tick_s),
      force_(first),
      times_(table.size()),
      learner_(
          learn::make_learner(known(parameters), std::size_t{table.ranks} + table.threads, seed, 2 * table.size())) {}

Pair LevelAgent::fastest() const noexcept {
    std::uint32_t least = 0;
    for (std::uint32_t i = 1; i < table_.size(); ++i)
        if (times_.mean(i) < times_.mean(least)) least = i;
    return table_.pair(least);
}

PairTurn LevelAgent::next() {
    const learn::Pick pick = learner_->next_in(state_of(force_, within_));
    picks_[++number_ % kInFlight] = pick;
    if (pick.action < table_.ranks)
        force_.ranks = pick.action;
    else
        force_.threads = pick.action - table_.ranks;
    PairTurn turn{.pair = force_, .trial = pick.exploring, .rest = fastest(), .reason = "agent"};
    turn.number = number_;
    const auto least = static_cast<std::uint32_t>(table_.index(turn.rest));
    if (turn.trial && times_.tried(least) && !(turn.rest == turn.pair)) turn.limit = kGiveUp * times_.mean(least);
    return turn;
}

void LevelAgent::learn(const PairTurn& turn, const PairRecord& record) {
    times_.add(static_cast<std::uint32_t>(table_.index(turn.pair)), record.time);
    // Parts of the step: ranks that wait for the slowest, and in the ranks' time threads that wait for theirs.
    within_ = record.rank_balance * (1 - record.thread_balance) > 1 - record.rank_balance;
    if (turn.number == 0 || turn.number + kInFlight <= number_) return;
    const learn::Pick& pick = picks_[turn.number % kInFlight];
    const double balance = pick.action < table_.ranks ? record.rank_balance : record.thread_balance;
    learn::Signals signals;
    signals.loop_time_s = record.time * tick_s_;
    signals.instructions_per_second = static_cast<double>(record.iterations) / signals.loop_time_s;
    signals.imbalance.lost = 1 - balance;
    if (balance > 0) signals.imbalance.percent_imbalance = 1 / balance - 1;
    learner_->observe(pick, signals, state_of(turn.pair, within_));
}

}  // namespace gimbal::levels
