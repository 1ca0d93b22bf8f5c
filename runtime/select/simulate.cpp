// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "measure/cost_profile.hpp"
#include "select/background.hpp"
#include "technique/granule.hpp"
#include "technique/least_chunk.hpp"

namespace gimbal {

namespace {

constexpr double kPart = 0.005;          // of the time, that measuring costs may take
constexpr std::uint64_t kPatience = 32;  // steps without a prediction, then something is tried
constexpr double kInBalance = 0.003;     // the incumbent loses no more: there is little to be found
constexpr double kLearntForTrial = 3;    // executions: it, and those before and after it (docs/decisions/0062)
// When costs are measured, where the incumbent does not look at them by itself (docs/decisions/0056, 0066, 0069).
constexpr double kOutOfBalance = 0.02;      // time that the incumbent loses by imbalance, or has drifted by since the
constexpr double kDrifted = 0.05;           // last sample: then samples come eight times as often,
constexpr double kPartOutOfBalance = 0.02;  // and may cost more
constexpr double kMuchStolen = 0.05;        // of the workers' time, from blocks that the profile had cut
constexpr double kProfileCost_s = 10e-6;    // to learn one, at least
constexpr double kMaxIdleProfiles = 20;     // in a row that changed no choice: the next one costs as many times less
constexpr std::uint64_t kSamplesAfterSurprise = 3;
// Other lengths, and short loops (docs/decisions/0026).
constexpr double kOtherLengthDoubt = 0.05;  // of a ratio that was seen at another trip count
constexpr double kStaticIsGood = 0.03;      // part that static's slowest block may take longer

/// The largest equal chunks with which a loop still ends in balance.
std::uint64_t most_for_balance(const LoopContext& context) noexcept {
    return context.iterations / (std::uint64_t{8} * context.workers) + 1;
}

constexpr std::uint64_t kCoarser = 8;  // times those by which drawing costs little

/// Chunks by which drawing costs a hundredth of the work, if there can be so large ones.
/// @pre the time of an iteration is known
std::uint64_t worth_drawing(const LoopContext& context) noexcept {
    constexpr double kWorkPerDraw = 100;
    const double wanted = kWorkPerDraw * context.dispatch * context.contention / context.iteration_time;
    return static_cast<std::uint64_t>(std::clamp(wanted, 1.0, static_cast<double>(most_for_balance(context))));
}

double profile_cost_s(const LoopContext& context) noexcept {
    return std::max(context.profile_cost * context.tick_s, kProfileCost_s);
}

}  // namespace

const Technique* SimulateSelector::the_ss() {
    static const Technique* const found = find_technique("ss");
    return found;
}

SimulateSelector::SimulateSelector(SimulateSettings settings) : settings_(std::move(settings)) {}
SimulateSelector::~SimulateSelector() = default;

Decision SimulateSelector::now(const Schedule& schedule) const {
    return {.schedule = schedule, .reason = settings_.name, .exploring = true, .index = kNotOurs};
}

// Where static holds nothing else measures costs, and without them nobody can say what would be faster.
std::size_t SimulateSelector::profiles_at_first() const noexcept {
    const bool asks_soon = leaving_.static_is_good() && !answered_ && !answer_;
    return std::max<std::size_t>(settings_.profiling.size(), asks_soon ? kSettled : 0);
}

Decision SimulateSelector::profiling_execution(const LoopContext& context) {
    // What a profile takes is not spent on a loop that may be too short for it.
    const bool sampled = profiled_ < profiles_at_first() && (steps_ > 0 || !settings_.leaves || !context.can_leave);
    const Schedule choice = profiling_choice(context);
    profiled_ += sampled || steps_ > 0 ? 1 : 0;
    return {.schedule = choice, .reason = settings_.name, .exploring = true, .sampled = sampled, .index = kNotOurs};
}

// A profile is as fine as the chunks that it was measured with, and the loop ends in balance if they are small: also
// one that runs once, and whose first iterations cost the most.
Schedule SimulateSelector::profiling_choice(const LoopContext& context) const {
    constexpr std::uint64_t kChunksEach = 32;
    constexpr std::uint64_t kChunksEachAtFirst = 16;  // drawing may cost more than they do
    Schedule choice = settings_.profiling[std::min(profiled_, settings_.profiling.size() - 1)];
    if (settings_.profiling_threads.technique && context.can_leave && !context.monotonic)
        choice = settings_.profiling_threads;
    if (settings_.sizes_chunks) {
        const bool known = context.iteration_time > 0;
        const std::uint64_t even =
            context.iterations / ((known ? kChunksEach : kChunksEachAtFirst) * context.workers) + 1;
        const std::uint64_t least =
            asked_least(choice.technique->info(), context.iterations, context.workers, context.teams.least);
        choice.chunk = granule_of(context.granule, std::max({even, least, known ? worth_drawing(context) : 1}));
    }
    if (context.monotonic && !choice.technique->info().monotonic) choice = {find_technique("fac2")};
    return choice;
}

// Chunks by which drawing costs a hundredth of the work, and coarser ones: what suits a loop of many cheap iterations.
void SimulateSelector::settle_portfolio(const LoopContext& context) {
    monotonic_ = context.monotonic;
    if (settings_.sizes_chunks && context.iteration_time > 0) {
        const std::uint64_t fine = granule_of(context.granule, worth_drawing(context));
        settings_.portfolio.push_back({the_ss(), fine});
        if (fine <= most_for_balance(context) / kCoarser) settings_.portfolio.push_back({the_ss(), fine * kCoarser});
    }
    if (monotonic_) settings_.portfolio = monotonic_only(settings_.portfolio);
    if (settings_.golden_chunk) {
        for (Schedule& choice : settings_.portfolio)
            choice = with_golden_chunk(choice, context.iterations, context.workers);
    }
    begin_bandit();
    if (guided_trial_.over()) settle_guided_trial();
}

void SimulateSelector::begin_bandit() {
    bandit_.emplace(settings_.portfolio.size(), first_incumbent());
    static_holds_ = bandit_->incumbent() == arm_of(the_static());
    bar_arms();
}

// At another trip count other chunks are worth it. @pre what an iteration takes is known
void SimulateSelector::resize_chunks(const LoopContext& context) {
    constexpr std::uint64_t kOther = 2;  // times as large, or as small
    resizes_chunks_ = false;
    std::uint64_t chunk = worth_drawing(context);
    bool incumbent_changes = false;
    for (std::size_t arm = 0; arm < bandit_->size(); ++arm) {
        Schedule& choice = settings_.portfolio[arm];
        if (choice.technique != the_ss() || choice.chunk == 0) continue;
        const std::uint64_t now = granule_of(context.granule, chunk);
        chunk = std::min(kCoarser * chunk, most_for_balance(context));
        const auto [less, more] = std::minmax(choice.chunk, now);
        if (more < kOther * less) continue;
        choice.chunk = now;
        bandit_->forget(arm);
        incumbent_changes |= arm == bandit_->incumbent();
    }
    if (incumbent_changes) begin_bandit();
}

std::size_t SimulateSelector::first_incumbent() const noexcept {
    // Until a prediction is there, what has been measured is better than what stands first and has never run.
    if (!settings_.first_stays) {
        const std::size_t measured = arm_of(settings_.profiling.front().technique);
        return measured < settings_.portfolio.size() ? measured : 0;
    }
    const std::size_t found = arm_of(the_static());
    const bool holds = leaving_.static_is_good() || guided_trial_.over();
    return holds && found < settings_.portfolio.size() ? found : 0;
}

// What measures costs runs meanwhile; for as long as the answer takes if the portfolio has nothing that was measured.
bool SimulateSelector::waits_for_first_answer() const noexcept {
    if (answered_ || settings_.first_stays) return false;
    const bool known = arm_of(settings_.profiling.front().technique) < settings_.portfolio.size();
    return steps_ < kPatience || (answer_ && !known);
}

// @return as many as there are: none is
std::size_t SimulateSelector::arm_of(const Technique* technique) const noexcept {
    std::size_t arm = 0;
    while (arm < settings_.portfolio.size() && settings_.portfolio[arm].technique != technique) ++arm;
    return arm;
}

Decision SimulateSelector::choose(const LoopContext& context) {
    const bool balance = must_be_balanced(context);
    if (balance || context.cancelled) rare_losses_.break_off();
    if (rare_losses_.runs() && context.iterations > context.workers) return compared_now();
    if (settings_.leaves && context.can_leave && !balance) {
        if (guided_trial_.over() && guided_trial_.next() == GuidedTrial::Runs::guided) return now(guided_);
        if (leaving_.begin_look(context)) return now(the_static());
        if (const double time = leaving_.leave(context.tick_s, context.left_loops, context.apart); time > 0) {
            Decision decision = now(the_static());
            decision.left_for = time;
            static_trial_.forget_looks();
            guided_trial_.left();
            return decision;
        }
    }
    // One iteration each: there is nothing to choose.
    if (context.workers == 1 || context.iterations <= (settings_.first_stays ? context.workers : 1))
        return {.schedule = {the_static()}, .reason = settings_.name, .index = kNotOurs};
    if (leaving_.doubts() && !balance && !context.cancelled && compares_losses(context)) return compared_now();
    if (tries_guided(context)) {
        if (balance) return balanced(context);
        choose_guided();
        return now(guided_trial_.next() == GuidedTrial::Runs::guided ? guided_ : the_static());
    }
    if (!guided_trial_.over() && profiled_ < profiles_at_first()) return profiling_execution(context);
    if (!bandit_) settle_portfolio(context);
    if (resizes_chunks_ && context.iteration_time > 0) resize_chunks(context);
    if (answer_ && answer_->ready.load(std::memory_order_acquire)) take_answer();
    if (waits_for_first_answer()) return profiling_execution(context);
    if (balance || context.cancelled) {
        static_trial_.break_off();
    } else {
        begin_static_trial(context, false);
    }
    if (static_trial_.runs()) return now(the_static());
    if (!balance && !context.cancelled && compares_losses(context)) return compared_now();
    const DriftingBandit::Pull pull = bandit_->next();
    if (balance && waits_at_end(*settings_.portfolio[pull.arm].technique, context)) return balanced(context);
    if (settings_.leaves && pull.trial && settings_.portfolio[pull.arm].technique == the_static()) {
        begin_static_trial(context, true);
        if (static_trial_.runs()) {
            bandit_->forget_trial();
            return now(the_static());
        }
    }
    Decision decision{.schedule = settings_.portfolio[pull.arm],
                      .reason = settings_.name,
                      .exploring = pull.trial,
                      .index = static_cast<std::uint32_t>(pull.arm)};
    decision.sampled = samples_due_ > 0 || wants_profile(context);
    if (decision.sampled) {
        sampled_at_ = steps_;
        sampled_time_s_ = loop_time_s_;
        sampled_incumbent_time_ = incumbent_time_;
        samples_due_ -= samples_due_ > 0 ? 1 : 0;
    }
    return decision;
}

// As long as nothing is tried or measured, and no answer is there. Where all cores are busy one takes long to come.
std::uint32_t SimulateSelector::settled() const noexcept {
    const bool answered = answer_ && answer_->ready.load(std::memory_order_relaxed);
    if (!bandit_ || answered || samples_due_ > 0 || static_trial_.runs() || rare_losses_.runs()) return 0;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(bandit_->undisturbed(), kMaxRepeats));
}

void SimulateSelector::repeated() noexcept {
    if (bandit_) bandit_->repeated();
}

// Techniques that go by the profile keep it fresh themselves.
bool SimulateSelector::wants_profile(const LoopContext& context) const noexcept {
    if (!context.profile) return true;
    if (settings_.portfolio[bandit_->incumbent()].technique->info().needs_profile) return false;
    // Less than the way into the loop takes is lost in short ones by any technique.
    const double lost = incumbent_lost_ * incumbent_time_;
    const bool drifts = lost > std::max(kOutOfBalance * incumbent_time_, context.way) ||
                        std::abs(incumbent_time_ - sampled_incumbent_time_) > kDrifted * sampled_incumbent_time_;
    const std::uint64_t every = drifts ? drift_every_ : sample_every_;
    return steps_ >= sampled_at_ + every && may_cost(profile_cost_s(context), drifts ? kPartOutOfBalance : kPart);
}

// A part of the time since the last profile; less, the more of them changed no choice.
bool SimulateSelector::may_cost(double cost_s, double part) const noexcept {
    return cost_s * (1 + std::min(idle_profiles_, kMaxIdleProfiles)) < part * (loop_time_s_ - sampled_time_s_);
}

// Where the loop has become another one. Interruptions look like that, and are frequent beside a short loop: where that
// changed no choice before it must not be felt.
bool SimulateSelector::wants_samples(double loop_time_s, const LoopContext& context) const noexcept {
    constexpr double kFelt = 0.1;  // of the loop's time
    const double cost_s = profile_cost_s(context);
    return !surprised_before_ || cost_s <= kFelt * loop_time_s ||
           may_cost(kSamplesAfterSurprise * cost_s, kPartOutOfBalance);
}

void SimulateSelector::learn(const Decision& decision, const LoopRecord& record, const LoopContext& context) {
    ++steps_;
    const bool with_static = decision.schedule.technique == the_static();
    const bool stands_in = decision.index == kStandsIn;
    if (!stands_in) leaving_.observe(with_static, static_has_won(), record, context);
    loop_time_s_ += record.loop_time * context.tick_s;
    // A forked child has no thread that would bring it. Else it comes, however long it takes: to ask again would only
    // make the queue longer.
    if (answer_ && answer_->generation != background_generation()) answer_.reset();
    // What an execution that is no loop would take says nothing about the others.
    if (context.iterations > 1 && review_profile(context)) ask(context);
    if (!stands_in) trend_.add(record.iterations, record.loop_time);
    learn_of_guided(decision, record, context);
    learn_of_static(decision, record, context);
    learn_of_rare_losses(decision, record, context);
    lift_bars();
    if (!bandit_ || decision.index >= bandit_->size() || record.iterations == 0) return;
    const DriftingBandit::Pull pull{decision.index, decision.exploring};
    // A short loop is static's only if it is left, and then it takes less.
    const double saved = settings_.leaves && with_static ? leaving_.saved_by_leaving(record.loop_time, context) : 0;
    // No schedule makes threads come sooner: it is compared by what it takes besides.
    const double time = record.loop_time - record.late;
    bandit_->observe(pull, std::max(time - saved, 1.0) / trend_.work(record.iterations));
    if (pull.arm == bandit_->incumbent()) {
        incumbent_time_ = record.loop_time;
        incumbent_lost_ = record.busy_max > 0 ? 1 - record.busy_mean / record.busy_max : 0;
        bandit_->calm(incumbent_lost_ < kInBalance);
        bandit_->trials_cost(kLearntForTrial * context.way_alone / std::max(time, 1.0));
        compare_with_answer(record);
    }
    accept_static(context);
    if (settings_.leaves && context.can_leave && !leaving_.invited() && context.profile &&
        !is_barred(arm_of(the_static())) && static_loss(*context.profile, context.workers) < kStaticIsGood)
        leaving_.invite(record.loop_time * context.tick_s);
    if (bandit_->surprised() == 2 && surprised_ != 2) {
        // A loop that has more or less to do than before, at the same places, stays in balance.
        const bool unbalanced = incumbent_lost_ > kOutOfBalance || record.stolen > kMuchStolen;
        if (unbalanced && wants_samples(record.loop_time * context.tick_s, context)) {
            samples_due_ = kSamplesAfterSurprise;
            surprised_before_ = true;
        }
        drift_every_ = kSampleOften;
        idle_answers_ = 0;
    }
    surprised_ = bandit_->surprised();
    if (!answered_ && !answer_ && !vague_ && steps_ >= kPatience) try_without_answer();
}

std::unique_ptr<Selector> SimulateSelector::for_other_length() const {
    std::unique_ptr<SimulateSelector> other(new SimulateSelector(*this));
    other->answer_.reset();
    other->leaving_ = leaving_.for_other_length();
    other->static_trial_ = {};
    other->guided_trial_ = {};
    other->rare_losses_ = {};
    other->losses_of_ = kNotOurs;
    other->guided_ = nullptr;
    other->trend_ = {};  // another range of lengths may go another way
    other->idle_profiles_ = 0;
    other->surprised_before_ = false;
    other->expected_lost_.clear();
    other->compared_ = 0;
    if (other->bandit_) {
        other->resizes_chunks_ = settings_.sizes_chunks;
        other->bandit_->forget_trial();
        other->bandit_->widen(kOtherLengthDoubt);
    }
    return other;
}

std::optional<Alternative> SimulateSelector::alternative() const {
    if (!bandit_) return std::nullopt;
    const std::size_t second = bandit_->second();
    const std::size_t incumbent = bandit_->incumbent();
    if (second == incumbent) return std::nullopt;
    const bool measured = bandit_->trials(second) > 0;
    if (!measured && !answered_) return std::nullopt;  // believed in for want of a prediction
    const double ratio = bandit_->ratio(second);
    return Alternative{.schedule = settings_.portfolio[second],
                       .incumbent = settings_.portfolio[incumbent],
                       .loop_time = incumbent_time_ * ratio,
                       .ratio = ratio,
                       .predicted = !measured,
                       .trials = bandit_->trials(second),
                       .error = bandit_->error(second)};
}

}  // namespace gimbal
