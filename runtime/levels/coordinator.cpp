// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/coordinator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gimbal::levels {

namespace {

constexpr std::size_t kMaxKept = 4;
constexpr unsigned kTrials = 2;            // of each, then
constexpr unsigned kMaxTrials = 8;         // of those that may still be better
constexpr double kGiveUp = 2;              // times the incumbent's time
constexpr double kMargin = 0.003;          // who gains less is nobody's loss
constexpr unsigned kFirstSteps = 2;        // of the incumbent, before anything is tried
constexpr unsigned kChallengerSteps = 12;  // in a row, then
constexpr unsigned kIncumbentSteps = 4;
constexpr double kFarOff = 4;            // deviations of a step, twice in a row: the loop has changed
constexpr double kDrifted = 0.05;        // or so much since it was settled
constexpr std::uint64_t kFirstAsk = 32;  // steps
constexpr std::uint64_t kLongestAsk = 256;
constexpr unsigned kTaintedSteps = 2;  // after a change of placement

}  // namespace

Coordinator::Coordinator(const PairTable& table, Pair first, PairPredictor predictor)
    : table_(table),
      predictor_(std::move(predictor)),
      beliefs_(table.size(), table.index(first)),
      times_(table.size()),
      goal_(table.index(first)),
      previous_(table.index(first)),
      running_(first) {
    kept_.reserve(kMaxKept);
}

void Coordinator::ask_model() {
    if (phase_ == Phase::settled && until_ask_ > 0 && --until_ask_ == 0) asks_model_ = true;
    if (!asks_model_ || beliefs_.reference_steps() == 0 || !predictor_(incumbent(), times_)) return;
    asks_model_ = false;
    beliefs_.predict(times_);
    searching_ = std::exchange(changed_, false);
    if (searching_) {
        tried_ranks_.assign(table_.ranks, 0);
        tried_ranks_[incumbent().ranks] = 1;
    }
    keep();
    keep_previous();
}

// What the model has wrong of a technique of the ranks it has wrong of all its pairs: so after a change the best pair
// of each is kept that may be better, within a standard error, four at a time. Without a change the model must find a
// pair better by more than it has been wrong.
void Coordinator::keep() {
    kept_.clear();
    for (std::size_t pair = 0; pair < beliefs_.size(); ++pair) {
        if (pair == beliefs_.incumbent() || !beliefs_.possible(pair)) continue;
        const PairBeliefs::Gain gain = beliefs_.gain(pair);
        const bool may_be = searching_ ? tried_ranks_[table_.pair(pair).ranks] == 0 && gain.mean + gain.error > kMargin
                                       : gain.mean > std::max(kMargin, beliefs_.model_error());
        if (may_be) kept_.push_back(pair);
    }
    const auto faster = [this](std::size_t a, std::size_t b) { return beliefs_.predicted(a) < beliefs_.predicted(b); };
    std::stable_sort(kept_.begin(), kept_.end(), faster);
    if (searching_) {
        std::vector<std::size_t> best;
        for (const std::size_t pair : kept_) {
            if (best.size() == kMaxKept) break;
            if (std::exchange(tried_ranks_[table_.pair(pair).ranks], char{1}) == 0) best.push_back(pair);
        }
        kept_ = std::move(best);
    }
    if (kept_.size() > kMaxKept) kept_.resize(kMaxKept);
    phase_ = Phase::trying;
    if (kept_.empty()) settle();
}

// The one before this incumbent may have lost to luck, and to a model that goes on saying so: it is looked at again.
void Coordinator::keep_previous() {
    if (previous_ == beliefs_.incumbent() || is_tried_enough(previous_)) return;
    if (std::find(kept_.begin(), kept_.end(), previous_) != kept_.end()) return;
    if (kept_.size() == kMaxKept) kept_.pop_back();
    kept_.insert(kept_.begin(), previous_);
    phase_ = Phase::trying;
}

// The pair that this step is for.
std::size_t Coordinator::target() {
    const std::size_t incumbent = beliefs_.incumbent();
    if (phase_ != Phase::trying || beliefs_.reference_steps() < kFirstSteps) return incumbent;
    const std::size_t running = table_.index(running_);
    if (running != goal_ && std::find(kept_.begin(), kept_.end(), goal_) != kept_.end()) return goal_;  // on the way
    const auto untried =
        std::find_if(kept_.begin(), kept_.end(), [this](std::size_t pair) { return beliefs_.trials(pair) < kTrials; });
    if (untried != kept_.end()) return incumbent_run_ > 0 ? *untried : incumbent;
    const std::size_t best = *std::max_element(kept_.begin(), kept_.end(), [this](std::size_t a, std::size_t b) {
        return beliefs_.gain(a).mean < beliefs_.gain(b).mean;
    });
    // Nobody is believed to be better, but somebody may be: one more trial.
    if (beliefs_.gain(best).mean < kMargin) {
        const auto least = std::min_element(kept_.begin(), kept_.end(), [this](std::size_t a, std::size_t b) {
            return beliefs_.trials(a) < beliefs_.trials(b);
        });
        return incumbent_run_ > 0 ? *least : incumbent;
    }
    if (running == incumbent) return incumbent_run_ < kIncumbentSteps ? incumbent : best;
    return challenger_run_ < kChallengerSteps ? best : incumbent;
}

// One level at a time: the faster of the two ways round, by the model.
Pair Coordinator::towards(Pair goal) const noexcept {
    if (goal.ranks == running_.ranks || goal.threads == running_.threads) return goal;
    const Pair ranks_first{goal.ranks, running_.threads};
    const Pair threads_first{running_.ranks, goal.threads};
    const auto takes = [this](Pair pair) {
        const std::size_t place = table_.index(pair);
        return beliefs_.possible(place) ? beliefs_.predicted(place) : std::numeric_limits<double>::infinity();
    };
    return takes(threads_first) < takes(ranks_first) ? threads_first : ranks_first;
}

PairTurn Coordinator::next() {
    ask_model();
    goal_ = target();
    const Pair goal = table_.pair(goal_);
    PairTurn turn;
    turn.pair = towards(goal);
    turn.rest = incumbent();
    turn.epoch = epoch_;
    turn.trial = !(turn.pair == turn.rest);
    turn.reason = !(turn.pair == goal) ? "on the way" : turn.trial ? "tried" : asks_model_ ? "until predicted" : "best";
    if (turn.trial && beliefs_.reference_steps() > 0) turn.limit = kGiveUp * beliefs_.reference();
    incumbent_run_ = turn.trial ? 0 : incumbent_run_ + 1;
    challenger_run_ = turn.trial ? challenger_run_ + 1 : 0;
    running_ = turn.pair;
    return turn;
}

void Coordinator::learn(const PairTurn& turn, const PairRecord& record) {
    const bool stale = turn.epoch != epoch_;
    if ((stale || tainted_ > 0) && dropped_in_a_row_ < kMaxDropped) {
        if (!stale) --tainted_;
        ++dropped_;
        ++dropped_in_a_row_;
        return;
    }
    dropped_in_a_row_ = 0;
    const std::size_t pair = table_.index(turn.pair);
    if (record.stopped && pair != beliefs_.incumbent()) {
        beliefs_.note_stop(pair);
    } else if (pair == beliefs_.incumbent()) {
        learn_incumbent(record.time);
    } else if (beliefs_.reference_steps() > 0) {
        beliefs_.note_trial(pair, record.time);
    }
    if (phase_ != Phase::trying) return;
    promote_the_sure();
    std::erase_if(kept_, [this](std::size_t tried) { return is_tried_enough(tried); });
    if (!kept_.empty()) return;
    searching_ ? keep() : settle();
}

void Coordinator::learn_incumbent(double time) {
    const double off = beliefs_.note_incumbent(time);
    surprises_ = std::abs(off) > kFarOff ? surprises_ + 1 : 0;
    const bool drifted = phase_ == Phase::settled &&
                         std::abs(beliefs_.log_reference() - settled_reference_) > kDrifted + beliefs_.noise();
    if (surprises_ >= 2 || drifted) reopen();
}

// Two standard errors, and trials that say the same: the model alone does not decide. Also of pairs that have only run
// on the way to another one: the model may have the wrong one of two before the other.
void Coordinator::promote_the_sure() {
    std::size_t best = beliefs_.incumbent();
    double most = kMargin;
    for (std::size_t pair = 0; pair < beliefs_.size(); ++pair) {
        if (pair == beliefs_.incumbent() || beliefs_.trials(pair) == 0 || !beliefs_.possible(pair)) continue;
        if (const PairBeliefs::Gain shown = beliefs_.shown(pair); shown.mean <= shown.error) continue;
        const PairBeliefs::Gain gain = beliefs_.gain(pair);
        if (!gain.sure() || gain.mean <= most) continue;
        best = pair;
        most = gain.mean;
    }
    if (best == beliefs_.incumbent()) return;
    previous_ = beliefs_.incumbent();
    beliefs_.promote(best);
    std::erase(kept_, best);
    surprises_ = 0;
    incumbent_run_ = 0;
}

bool Coordinator::is_tried_enough(std::size_t pair) const noexcept {
    if (!beliefs_.possible(pair)) return true;
    const unsigned trials = beliefs_.trials(pair);
    const bool again = pair == previous_ && trials < kMaxTrials;
    if (again && trials < kTrials) return false;
    const PairBeliefs::Gain gain = again ? beliefs_.shown(pair) : beliefs_.gain(pair);
    if (trials < kTrials) return gain.mean < -PairBeliefs::kStandardErrors * gain.error;
    return gain.mean + (trials < kMaxTrials ? gain.error : 0) < kMargin;
}

void Coordinator::settle() {
    phase_ = Phase::settled;
    searching_ = false;
    ask_every_ = std::clamp(2 * ask_every_, kFirstAsk, kLongestAsk);
    until_ask_ = ask_every_;
    settled_reference_ = beliefs_.log_reference();
}

void Coordinator::reopen() {
    ++reopened_;
    beliefs_.forget();
    kept_.clear();
    phase_ = Phase::waiting;
    asks_model_ = changed_ = true;
    ask_every_ = 0;
    surprises_ = 0;
}

void Coordinator::note_change(Level level) noexcept {
    ++epoch_;
    if (level == Level::placement) tainted_ = kTaintedSteps;
}

}  // namespace gimbal::levels
