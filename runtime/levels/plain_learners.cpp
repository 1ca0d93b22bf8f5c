// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/plain_learners.hpp"

#include <algorithm>
#include <string>

#include "gimbal/error.hpp"

namespace gimbal::levels {

namespace {

std::uint32_t choose(IndependentLearner::Side& side, Decision& decision) {
    decision = side.selector->choose(side.context);
    ++side.context.step;
    const auto found = std::find(side.portfolio.begin(), side.portfolio.end(), decision.schedule);
    if (found == side.portfolio.end())
        throw Error(ErrorCode::wrong_use,
                    "the selector chose " + std::string(decision.schedule.technique->info().name) +
                        ", which is not in the portfolio",
                    "allowed: exhaustive, binary, expert, random, or an agent");
    return static_cast<std::uint32_t>(found - side.portfolio.begin());
}

void teach(IndependentLearner::Side& side, const Decision& decision, const PairRecord& record, double balance) {
    LoopRecord seen;
    seen.iterations = side.context.iterations;
    seen.loop_time = seen.busy_max = record.time;
    seen.busy_mean = record.time * balance;
    side.selector->learn(decision, seen, side.context);
}

}  // namespace

PairTurn JointLearner::next() {
    if (tried_ < times_.size()) return {.pair = table_.pair(tried_++), .trial = true, .reason = "each once"};
    const auto least = std::min_element(times_.begin(), times_.end());
    return {.pair = table_.pair(static_cast<std::size_t>(least - times_.begin())), .reason = "fastest"};
}

void JointLearner::learn(const PairTurn& turn, const PairRecord& record) {
    if (turn.trial) times_[table_.index(turn.pair)] = record.time;
}

PairTurn AlternateLearner::next() {
    if (sweep_ == kSweeps) return {.pair = pair_, .reason = "fastest"};
    Pair pair = pair_;
    moving(pair) = tried_;
    return {.pair = pair, .trial = true, .reason = "one level"};
}

void AlternateLearner::learn(const PairTurn& turn, const PairRecord& record) {
    if (!turn.trial) return;
    if (tried_ == 0 || record.time < least_) {
        least_ = record.time;
        best_ = tried_;
    }
    if (++tried_ < (sweep_ % 2 == 0 ? table_.ranks : table_.threads)) return;
    moving(pair_) = best_;
    tried_ = 0;
    ++sweep_;
}

PairTurn IndependentLearner::next() {
    PairTurn turn;
    turn.pair.ranks = choose(ranks_, for_ranks_);
    turn.pair.threads = choose(threads_, for_threads_);
    turn.trial = for_ranks_.exploring || for_threads_.exploring;
    turn.reason = "each for itself";
    return turn;
}

void IndependentLearner::learn(const PairTurn& /*turn*/, const PairRecord& record) {
    teach(ranks_, for_ranks_, record, record.rank_balance);
    teach(threads_, for_threads_, record, record.thread_balance);
}

}  // namespace gimbal::levels
