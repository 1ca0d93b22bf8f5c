// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static against what else may hold a loop: in trials of its own, since what it saves is not in the model.
#include <algorithm>
#include <limits>
#include <utility>

#include "measure/cost_profile.hpp"
#include "select/simulate.hpp"

namespace gimbal {

const Technique* SimulateSelector::the_static() {
    static const Technique* const found = find_technique("static");
    return found;
}

bool SimulateSelector::must_be_balanced(const LoopContext& context) const noexcept {
    return settings_.leaves && leaving_.must_be_balanced(incumbent_time_ * context.tick_s, context);
}

// Blocks whose threads end at different times if one was off its core. By what iterations cost feedback balances a few
// long ones better than anybody else.
bool SimulateSelector::waits_at_end(const Technique& technique, const LoopContext& context) noexcept {
    constexpr std::uint64_t kFew = 16;  // for each worker
    return &technique == the_static() ||
           (technique.info().needs_profile && context.iterations >= kFew * context.workers);
}

// Instead of those, as long as the cores are shared: what its threads find in their caches, and never a long wait.
// Where nobody may steal, small chunks of one size: a first one of guided's may hold all the work.
Decision SimulateSelector::balanced(const LoopContext& context) const {
    static const Technique* const stealing = find_technique("static-steal");
    Decision decision = now(stealing);
    if (context.monotonic) decision.schedule = profiling_choice(context);
    decision.exploring = false;
    decision.index = kStandsIn;
    return decision;
}

// What the slowest of static's blocks takes longer than their mean, by the profile, as a part of it.
double SimulateSelector::static_loss(const CostProfile& profile, std::uint32_t workers) noexcept {
    double most = 0;
    for (std::uint32_t k = 0; k < workers; ++k) {
        const double p = workers;
        most = std::max(most, profile.before((k + 1) / p) - profile.before(k / p));
    }
    return most * workers / profile.total() - 1;
}

// A short loop that loses something under static, and of which nothing else is known.
bool SimulateSelector::tries_guided(const LoopContext& context) const noexcept {
    return settings_.leaves && context.can_leave && !bandit_ && !guided_trial_.over() && leaving_.worth_guided();
}

// What measures costs is not run besides: only what holds the loop may have to know them.
void SimulateSelector::settle_guided_trial() {
    profiled_ = std::max<std::uint64_t>(profiled_, kSettled);
    const std::size_t guided = arm_of(guided_);
    if (guided == settings_.portfolio.size() || bandit_->incumbent() != arm_of(the_static())) return;
    bandit_->settle_as(guided, guided_trial_.ratio(), guided_trial_.error());
    if (bandit_->incumbent() == guided) {
        leaving_.keep();
    } else {
        leaving_.accept(false);
    }
}

// By gss the first chunk is static's first block: fewer chunks are to be drawn, where that is not what all wait
// for.
void SimulateSelector::choose_guided() {
    if (guided_ == nullptr) guided_ = find_technique(leaving_.first_block_is_light() ? "gss" : "guided");
}

// It holds the loop, and not for want of anything to compare it with.
bool SimulateSelector::static_has_won() const noexcept {
    if (!bandit_ || settings_.portfolio[bandit_->incumbent()].technique != the_static()) return false;
    const std::size_t second = bandit_->second();
    return answered_ || (second != bandit_->incumbent() && bandit_->trials(second) > 0);
}

// It has won the loop; or several were tried against it, not only guided: then what its threads wait for is accepted
// however much that is.
void SimulateSelector::accept_static(const LoopContext& context) {
    constexpr int kSeveral = 2;
    const std::size_t incumbent = bandit_->incumbent();
    const bool held = std::exchange(static_holds_, incumbent == arm_of(the_static()));
    if (!settings_.leaves || !context.can_leave || !static_holds_) return;
    if (!held) leaving_.accept(false);
    const std::size_t guided = arm_of(guided_);
    int tried = 0;
    std::uint64_t trials = 0;
    for (std::size_t arm = 0; arm < bandit_->size(); ++arm) {
        if (arm == incumbent || arm == guided) continue;
        tried += bandit_->trials(arm) > 0 ? 1 : 0;
        trials += bandit_->trials(arm);
    }
    if (tried < kSeveral || std::exchange(trials_against_static_, trials) == trials) return;
    const std::size_t second = bandit_->second();
    if (bandit_->ratio(second) > 1 + bandit_->error(second)) leaving_.accept(true);
}

// Static against what holds the loop, several times in a row.
void SimulateSelector::begin_static_trial(const LoopContext& context, bool asked) {
    // Medians of a few executions say nothing of a loop that gets several sets of data in turn: there it is an arm.
    if (!settings_.leaves || bandit_->row() > 1 || !static_trial_.may_begin() ||
        arm_of(the_static()) == settings_.portfolio.size() || is_barred(arm_of(the_static())) ||
        settings_.portfolio[bandit_->incumbent()].technique == the_static())
        return;
    const double saved = leaving_.saved_by_leaving(incumbent_time_, context);
    if (context.profile && context.profile_version != static_loss_version_) {
        static_loss_ = static_loss(*context.profile, context.workers);
        static_loss_version_ = context.profile_version;
    }
    static_trial_.begin(context.profile ? static_loss_ : std::numeric_limits<double>::infinity(), saved, asked);
}

void SimulateSelector::learn_of_static(const Decision& decision, const LoopRecord& record, const LoopContext& context) {
    const std::size_t arm = arm_of(the_static());
    if (!settings_.leaves || arm == settings_.portfolio.size()) return;
    const std::size_t incumbent = bandit_ ? bandit_->incumbent() : kNotOurs;
    if (std::exchange(tried_against_, incumbent) != incumbent) static_trial_.forget_incumbent();
    if (arm == incumbent || is_barred(arm)) return;
    const StaticTrial::Outcome outcome = static_trial_.observe(
        decision.schedule.technique == the_static(), bandit_ && decision.index == incumbent, record,
        leaving_.saved_by_leaving(record.loop_time, context), trend_.work(record.iterations),
        guided_trial_.guided_won() && incumbent == arm_of(guided_));
    if (outcome == StaticTrial::Outcome::none || !bandit_) return;
    bandit_->settle_as(arm, static_trial_.ratio(), static_trial_.error());
    if (outcome == StaticTrial::Outcome::won && context.can_leave) leaving_.prefer();
}

// Where threads may run any iteration at any time; else small chunks in order.
std::size_t SimulateSelector::robust_arm() const noexcept {
    const std::size_t stealing = arm_of(settings_.profiling_threads.technique);
    return stealing < settings_.portfolio.size() ? stealing : arm_of(the_ss());
}

bool SimulateSelector::is_barred(std::size_t arm) const noexcept {
    return arm < barred_until_.size() && steps_ < barred_until_[arm];
}

// While it is barred nothing is believed of it: it comes back by rows of its own.
void SimulateSelector::leave_static_out(std::vector<double>& times) const noexcept {
    const std::size_t arm = arm_of(the_static());
    if (is_barred(arm) && arm != bandit_->incumbent()) times[arm] = std::numeric_limits<double>::infinity();
}

// Those of a new bandit.
void SimulateSelector::bar_arms() noexcept {
    for (std::size_t arm = 0; arm < barred_until_.size(); ++arm)
        if (is_barred(arm) && arm != bandit_->incumbent() && arm != arm_of(the_static())) bandit_->bar(arm, true);
}

void SimulateSelector::lift_bars() noexcept {
    for (std::size_t arm = 0; arm < barred_until_.size(); ++arm) {
        if (barred_until_[arm] == 0 || is_barred(arm)) continue;
        barred_until_[arm] = 0;
        if (bandit_) bandit_->bar(arm, false);
    }
}

// A loop that was left has no holder but static, and nothing else may be known of it. Rows of a loop with a period
// compare sums already.
bool SimulateSelector::compares_losses(const LoopContext& context) {
    if (!settings_.leaves) return false;
    // Where nobody may steal, what is robust has chunks by what drawing costs.
    if (context.monotonic && leaving_.doubts() && !bandit_ && context.iteration_time > 0 && rare_losses_.may_begin())
        settle_portfolio(context);
    const std::size_t robust = robust_arm();
    const std::size_t holder = leaving_.doubts() || !bandit_ ? arm_of(the_static()) : bandit_->incumbent();
    const bool usable = robust < settings_.portfolio.size() && robust != holder &&
                        (!context.monotonic || settings_.portfolio[robust].technique->info().monotonic);
    suspect_ = holder;
    if (leaving_.doubts()) {
        if (usable) rare_losses_.begin(leaving_.looks());
        if (!rare_losses_.runs()) leaving_.trust();
    } else if (usable && bandit_->row() == 1) {
        rare_losses_.begin();
    }
    return rare_losses_.runs();
}

// @pre compares_losses()
Decision SimulateSelector::compared_now() {
    rare_losses_.hand_out();
    return now(settings_.portfolio[rare_losses_.robust_runs() ? robust_arm() : suspect_]);
}

void SimulateSelector::learn_of_rare_losses(const Decision& decision, const LoopRecord& record,
                                            const LoopContext& context) {
    if (!settings_.leaves || record.iterations == 0 || decision.index == kStandsIn) return;
    rare_losses_.passed();
    const double time = std::max(record.loop_time - record.late, 1.0);
    const double work = trend_.work(record.iterations);
    if (!rare_losses_.runs()) {
        const std::size_t incumbent = bandit_ ? bandit_->incumbent() : kNotOurs;
        if (std::exchange(losses_of_, incumbent) != incumbent) rare_losses_.forget_incumbent();
        // Looks follow each other where one has lost something: they show too little of that.
        if (decision.index == incumbent && bandit_) rare_losses_.observe(false, time, record.busy_mean, work);
        return;
    }
    const std::size_t robust = robust_arm();
    const bool with_robust = decision.schedule == settings_.portfolio[robust];
    if (decision.index != kNotOurs || (!with_robust && !(decision.schedule == settings_.portfolio[suspect_]))) return;
    const RareLosses::Outcome outcome = rare_losses_.observe(with_robust, time, record.busy_mean, work);
    if (outcome == RareLosses::Outcome::none) return;
    if (leaving_.doubts()) leaving_.trust();
    if (outcome == RareLosses::Outcome::won) settle_as_robust(context);
}

void SimulateSelector::settle_as_robust(const LoopContext& context) {
    const std::size_t robust = robust_arm();
    if (!bandit_) {
        settle_portfolio(context);
        suspect_ = arm_of(the_static());
    }
    if (bandit_->incumbent() == suspect_) {
        bandit_->settle_as(robust, rare_losses_.ratio(), rare_losses_.error());
    } else if (bandit_->incumbent() != robust) {
        bandit_.emplace(settings_.portfolio.size(), robust);
        answered_ = vague_ = false;
        bar_arms();
    }
    static_holds_ = false;
    if (suspect_ == arm_of(the_static())) {
        bandit_->forget(suspect_);
    } else {
        bandit_->bar(suspect_, true);
    }
    barred_until_.resize(settings_.portfolio.size(), 0);
    barred_until_[suspect_] = steps_ + rare_losses_.wait();
    static_trial_.forget_looks();
    if (suspect_ == arm_of(the_static())) leaving_.keep();
}

void SimulateSelector::learn_of_guided(const Decision& decision, const LoopRecord& record, const LoopContext& context) {
    if (!settings_.leaves || !context.can_leave || decision.index != kNotOurs || record.iterations == 0) return;
    if (rare_losses_.runs()) return;
    const double work = trend_.work(record.iterations);
    const double saved = leaving_.saved_later(record.loop_time, context);
    const Technique* const ran = decision.schedule.technique;
    const bool known = (ran == the_static() && guided_trial_.see_static((record.loop_time - saved) / work)) ||
                       (ran == guided_ && guided_trial_.see_guided(record.loop_time / work));
    if (known && bandit_) settle_guided_trial();
}

}  // namespace gimbal
