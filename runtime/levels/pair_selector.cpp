// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/pair_selector.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "measure/cost_profile.hpp"
#include "measure/dispatch_cost.hpp"
#include "select/agent.hpp"
#include "select/background.hpp"

namespace gimbal::levels {

namespace {

// What ranks choose among, and without the first what threads do (docs/decisions/0031, 0032); and what both begin with:
// fac2, since feedback has nothing to go by yet.
constexpr std::array<std::string_view, 9> kNames = {"feedback", "fac2",   "mfsc",  "gss", "tss",
                                                    "ss",       "static", "awf-c", "af"};
constexpr Pair kFirst{.ranks = 1, .threads = 0};
constexpr std::uint64_t kSamples = 3;       // of the profile before the model is asked
constexpr std::uint64_t kMaxSamples = 8;    // without a profile: there will be none
constexpr std::uint64_t kSampleEvery = 32;  // steps
constexpr std::uint64_t kMaxRepeats = 8;    // of a turn that nothing is heard of
constexpr double kPart = 0.005;             // of the processor time that predictions may take
constexpr double kContention = 5;           // of threads that draw in memory,
constexpr double kSerialPart = 0.5;         // as a loop of threads has it
constexpr double kSecondsPerDraw = 50e-9;
constexpr double kDrawsPerPair = 64 * 16;  // rank chunks, and draws of each thread in them, where nothing is known;
constexpr double kFirstPart = 0.25;  // of that is waited for: what the first prediction takes more, later ones wait

simulate::NestedMachine machine_of(const LoopContext& context) {
    simulate::NestedMachine machine;
    machine.ranks = context.workers;
    machine.threads = context.teams.threads;
    machine.between.dispatch = context.dispatch * context.contention;
    machine.between.serial = context.serial_part * machine.between.dispatch;
    machine.between.own_dispatch = 0.5 * context.dispatch;
    machine.between.stamp = context.dispatch;
    machine.team_barrier = context.teams.chunk_overhead;
    machine.least = context.teams.least;
    const double draw = dispatch_ticks();
    machine.within.dispatch = draw * kContention;
    machine.within.serial = kSerialPart * machine.within.dispatch;
    machine.within.own_dispatch = 0.5 * draw;
    machine.within.queue_dispatch = draw;
    machine.within.stamp = draw;
    return machine;
}

}  // namespace

struct PairSelector::Answer {
    CostProfile profile;
    PairQuestion question;
    Prediction prediction;  // empty if there was no memory for it
    std::uint64_t generation = 0;
    std::atomic<bool> ready{false};
};

PairSelector::PairSelector(std::unique_ptr<Selector> alone, std::uint64_t seed, const SelectorSettings& settings)
    : alone_(std::move(alone)), seed_(seed), settings_(settings) {}

PairSelector::~PairSelector() = default;

// Whatever stands first is in force until the agent has moved each level.
void PairSelector::begin_agent(const LoopContext& context) {
    ranks_ = threads_ = portfolio_of(settings_);
    iterations_ = context.iterations;
    const PairTable table{static_cast<std::uint32_t>(ranks_.size()), static_cast<std::uint32_t>(threads_.size())};
    auto agent = std::make_unique<LevelAgent>(table, Pair{}, agent_parameters(settings_, settings_.agent), seed_,
                                              context.tick_s);
    agent_ = agent.get();
    learner_ = std::move(agent);
}

void PairSelector::begin(const LoopContext& context) {
    if (settings_.name == "levels") return begin_agent(context);
    ranks_ = portfolio_of_names(kNames);
    threads_ = portfolio_of_names(std::span(kNames).subspan(1));
    iterations_ = context.iterations;
    const PairTable table{static_cast<std::uint32_t>(ranks_.size()), static_cast<std::uint32_t>(threads_.size())};
    auto coordinator = std::make_unique<Coordinator>(
        table, kFirst, [this](Pair incumbent, std::span<double> times) { return predict(incumbent, times); });
    coordinator_ = coordinator.get();
    learner_ = std::move(coordinator);
    const double draws = std::min(kDrawsPerPair * context.teams.threads, static_cast<double>(context.iterations));
    cost_s_ = kFirstPart * static_cast<double>(table.size()) * draws * kSecondsPerDraw;
    versions_ = context.profile_version;
}

// The ranks' own selector again, and the threads choose for themselves.
void PairSelector::give_up() {
    given_up_ = true;
    learner_.reset();
    coordinator_ = nullptr;
    agent_ = nullptr;
    answer_.reset();
}

bool PairSelector::affordable(const LoopContext& context) const noexcept {
    return context.profile && measured_ >= kSamples && cost_s_ <= kPart * worked_s_;
}

bool PairSelector::predict(Pair incumbent, std::span<double> times) {
    if (answer_ && answer_->generation != background_generation()) answer_.reset();  // of the parent
    if (!answer_ && context_ && affordable(*context_)) ask(incumbent, *context_);
    if (!answer_ || !answer_->ready.load(std::memory_order_acquire)) return false;
    const std::shared_ptr<Answer> answer = std::exchange(answer_, nullptr);
    if (answer->prediction.cost_s > 0) cost_s_ = answer->prediction.cost_s;
    worked_s_ = 0;
    const std::vector<double>& predicted = answer->prediction.times;
    if (predicted.size() != times.size() || !(answer->question.incumbent == incumbent)) return false;
    std::copy(predicted.begin(), predicted.end(), times.begin());
    return true;
}

void PairSelector::ask(Pair incumbent, const LoopContext& context) {
    auto answer = std::make_shared<Answer>();
    answer->profile = *context.profile;
    answer->question = {.profile = &answer->profile,
                        .iterations = context.iterations,
                        .seed = seed_,
                        .machine = machine_of(context),
                        .ranks = ranks_,
                        .threads = threads_,
                        .incumbent = incumbent};
    answer->generation = background_generation();
    answer_ = answer;
    const auto job = [answer, expected_s = cost_s_] {
        try {
            if (wait_for_share(expected_s)) answer->prediction = predict_pairs(answer->question);
        } catch (...) {  // an empty answer is one, too: it is asked for again
        }
        answer->ready.store(true, std::memory_order_release);  // acquired by predict()
    };
    // Threads no longer choose for themselves: what they have asked before is of little use.
    const bool taken = run_in_background(settings_.background, job, /*urgent=*/true);
    if (!taken) answer_.reset();
}

// What single iterations cost is measured by the threads, in executions that are no trials.
bool PairSelector::wants_costs(const LoopContext& context) const noexcept {
    if (agent_ || turn_.trial || answer_) return false;
    return measured_ < kSamples || context.profile_version == versions_ || steps_ >= sampled_at_ + kSampleEvery;
}

Decision PairSelector::decision_for_turn(const LoopContext& context) const {
    Decision decision{
        .schedule = ranks_[turn_.pair.ranks], .reason = agent_ ? "levels" : "auto", .exploring = turn_.trial};
    decision.number = turn_number_;
    decision.within = {.technique = threads_[turn_.pair.threads].technique, .trial = turn_.trial};
    if (std::isfinite(turn_.limit))
        decision.within.limit =
            turn_.limit * static_cast<double>(context.iterations) / static_cast<double>(iterations_);
    return decision;
}

Decision PairSelector::choose(const LoopContext& context) {
    const bool nested = context.teams.threads > 1 && context.teams.follow && context.workers > 1;
    if (learner_ && !nested) give_up();
    if (!learner_ && !given_up_ && nested && context.iterations > context.workers) begin(context);
    if (!learner_) return alone_->choose(context);
    if (context.teams.balance > 0) thread_balance_ = context.teams.balance;
    threads_per_rank_ = context.teams.threads;
    ++steps_;
    if (model_ || asked_ >= kMaxRepeats) {
        context_ = &context;
        turn_before_ = std::exchange(turn_, learner_->next());
        context_ = nullptr;
        ++turn_number_;
        asked_ = 0;
        model_ = false;
    }
    ++asked_;
    Decision decision = decision_for_turn(context);
    if (wants_costs(context)) {
        decision.sampled = decision.within.sampled = true;
        sampled_at_ = steps_;
    }
    return decision;
}

void PairSelector::learn(const Decision& decision, const LoopRecord& record, const LoopContext& context) {
    if (decision.number == 0 || !learner_) {
        if (!learner_ && !decision.within.technique) alone_->learn(decision, record, context);
        return;
    }
    worked_s_ += record.loop_time * context.tick_s * context.workers * std::max(threads_per_rank_, 1U);
    if (decision.sampled) ++measured_;
    if (coordinator_ && measured_ >= kMaxSamples && context.profile_version == versions_) return give_up();
    if (record.iterations == 0 || decision.number + 1 < turn_number_) return;
    const bool current = decision.number == turn_number_;
    if (current) model_ = true;
    const double scale = static_cast<double>(iterations_) / static_cast<double>(record.iterations);
    PairRecord seen;
    seen.time = std::max(record.loop_time * scale, 1.0);
    seen.iterations = record.iterations;
    if (record.busy_max > 0) seen.rank_balance = record.busy_mean / record.busy_max;
    seen.thread_balance = thread_balance_;
    seen.stopped = decision.within.limit > 0 && record.loop_time > decision.within.limit;
    learn_from(current ? turn_ : turn_before_, seen, context.moves);
    if (coordinator_) follow_changes();
}

// An agent notes no changes: what was measured while placement moved threads teaches it nothing, but for one in five.
void PairSelector::learn_from(const PairTurn& turn, const PairRecord& seen, std::uint64_t moves) {
    const bool moved = std::exchange(moves_, moves) != moves;
    if (moved && coordinator_) coordinator_->note_change(Level::placement);
    const bool drops = moved && agent_ && dropped_in_a_row_ < kMaxDropped;
    dropped_in_a_row_ = drops ? dropped_in_a_row_ + 1 : 0;
    if (!drops) learner_->learn(turn, seen);
}

// The loop has changed: its profile is measured anew.
void PairSelector::follow_changes() {
    if (coordinator_->reopened() == reopened_) return;
    reopened_ = coordinator_->reopened();
    measured_ = 0;
    answer_.reset();
}

std::optional<Alternative> PairSelector::alternative() const {
    return learner_ ? std::nullopt : alone_->alternative();
}

std::optional<learn::Thought> PairSelector::thought() const {
    if (!learner_) return alone_->thought();
    return agent_ && agent_->thought().step > 0 ? std::optional(agent_->thought()) : std::nullopt;
}

}  // namespace gimbal::levels
