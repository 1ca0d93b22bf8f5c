// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/drifting_bandit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace gimbal {

namespace {

// Standard deviation by which the ratio of two choices is taken to wander from one step to the next: a tenth of a per
// cent, so one per cent in a hundred steps (docs/decisions/0013).
constexpr double kDrift = 0.001;
// When an arm takes the title (docs/decisions/0013).
constexpr double kMargin = 0.003;     // it must be better by more: a smaller difference is noise,
constexpr double kConfidence = 2;     // and lead by so many standard deviations,
constexpr std::uint64_t kProofs = 2;  // in so many trials: one may have met an incumbent that was interrupted,
constexpr double kLandslide = 0.2;    // unless it led by so much over a steady one (docs/decisions/0057)
constexpr double kRegret = 0.5;       // part of its lead that a new incumbent may owe to luck
// When it has to give it back (docs/decisions/0077).
constexpr double kNoisy = 0.03;  // where steps differ by more,
constexpr unsigned kFew = 6;     // and the one before had so many,
constexpr unsigned kShort = 16;  // by a mean over so many of its last,
constexpr unsigned kLong = 64;   // and over at most so many of its own,
constexpr double kProof = 3;     // so many standard errors behind
// How many trials there are (docs/decisions/0013).
constexpr double kTrialsPerChange = 30;  // more when the loop has changed as a whole
constexpr double kClearLead = 0.01;      // who is believed to be so much better is tried however many there were
constexpr std::uint64_t kLost = 16;      // one that has not come back after so many steps never will
// What one may cost, and is worth (docs/decisions/0062).
constexpr double kShyness = 0.0005;  // so much of a step at least
constexpr double kPart = 0.003;      // of all steps, but for the first trials
constexpr double kMinSteps = 20;
// When arms are looked at (docs/decisions/0057, 0059).
constexpr double kHopeless = 3;             // spreads that an arm is behind by: not even kMaxSteps steps would pay
constexpr std::uint64_t kLongestRest = 32;  // steps between looks
// What is noise, and what must be something else (docs/decisions/0013).
// Mean absolute deviation of a normal distribution, as a part of its standard deviation, inverted.
constexpr double kToDeviation = 1.2533;
constexpr double kClip = 4;       // standard deviations beyond which something else must have happened,
constexpr double kJump = 0.03;    // and so much of a step at least
constexpr double kVaries = 0.05;  // steps that differ by more may have a period (docs/decisions/0079)

double density(double u) noexcept {
    return std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi);
}
double upper_tail(double u) noexcept {
    return std::erfc(u / std::numbers::sqrt2) / 2;
}

}  // namespace

DriftingBandit::DriftingBandit(std::size_t count, std::size_t incumbent) : beliefs_(count), incumbent_(incumbent) {}

// Knowledge gradient of one more trial, for all steps to come, less what the trial itself is expected to cost. An arm
// that is believed to be better still needs a trial to become the incumbent, so its whole lead counts.
double DriftingBandit::worth(const Belief& belief) const noexcept {
    const double noise = kToDeviation * deviation_;
    const double spread = belief.variance / std::sqrt(belief.variance + noise * noise);
    if (!(spread > 0)) return -1;
    const double u = belief.mean / spread;
    if (u > kHopeless) return -1;
    const double gain = spread * density(u) - belief.mean * upper_tail(u);
    const double to_come = std::clamp(static_cast<double>(steps_), kMinSteps, kMaxSteps);
    return to_come * gain - row_ * (std::max(std::expm1(belief.mean), 0.0) + std::max(kShyness, trial_cost_));
}

std::uint64_t DriftingBandit::steps_per_trial() const noexcept {
    return std::max(kStepsPerTrial, static_cast<std::uint64_t>(std::min(trial_cost_ / kPart, kMaxSteps)));
}

DriftingBandit::Pull DriftingBandit::next() {
    ++steps_;
    if (trial_open_ && steps_ - tried_at_ > kLost) trial_open_ = false;
    if (trial_open_ && trial_to_come_ > 0) {
        --trial_to_come_;
        tried_at_ = steps_;
        return {tried_, true};
    }
    const std::uint64_t each = steps_per_trial();
    const std::uint64_t free = row_ * kFreeTrials;
    const bool enough = trials_ >= (calm_ ? free / 3 : free) + steps_ / (calm_ ? 2 * each : each);
    // However promising a choice is and however often the loop changes. What a trial costs is of the last step only.
    const bool most = made_ >= 2 * free + steps_ * 2 / each;
    none_before_ = most ? (made_ + row_ - 2 * free) * each / 2 : 0;
    if (trial_open_ || trial_seen_ || incumbent_run_ < 2 || steps_ < next_due() || surprised_ > 0)
        return {incumbent_, false};
    const auto passed = static_cast<double>(steps_ - widened_at_);
    widened_at_ = steps_;
    std::size_t best = incumbent_;
    double best_value = 0;
    for (std::size_t i = 0; i < beliefs_.size(); ++i) {
        if (i == incumbent_ || beliefs_[i].variance < 0) continue;
        beliefs_[i].variance += passed * kDrift * kDrift;
        if (beliefs_[i].shown.variance >= 0) beliefs_[i].shown.variance += passed * kDrift * kDrift;
        if (beliefs_[i].barred || (enough && beliefs_[i].mean > -kClearLead)) continue;
        const double value = worth(beliefs_[i]);
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    if (best == incumbent_) {
        look_every_ = std::min(2 * look_every_, kLongestRest);
        next_look_ = steps_ + look_every_;
        return {incumbent_, false};
    }
    look_every_ = 1;
    trials_ += row_;
    made_ += row_;
    trial_open_ = true;
    tried_ = best;
    tried_at_ = steps_;
    trial_to_come_ = row_ - 1;
    trial_row_ = incumbent_row_ = {};
    return {best, true};
}

// What is due at the next look comes no later for that.
std::uint64_t DriftingBandit::undisturbed() const noexcept {
    if (trial_open_ || trial_seen_ || incumbent_run_ < 2 || surprised_ > 0 || next_due() <= steps_ + 1) return 0;
    return next_due() - steps_ - 1;
}

void DriftingBandit::observe(const Pull& pull, double time) {
    if (!(time > 0) || !std::isfinite(time)) {
        trial_open_ = trial_open_ && !pull.trial;
        return;
    }
    if (pull.trial) {
        if (!trial_open_ || pull.arm != tried_) return;  // of an incumbent that has been replaced meanwhile
        period_.skip();
        if (!complete(trial_row_, time)) return;
        trial_open_ = false;
        trial_seen_ = true;
        log_trial_ = mean_log(trial_row_);
        return;
    }
    if (pull.arm != incumbent_) return;
    if (row_ > 1 || deviation_ > kVaries) {
        period_.add(std::log(time));
    } else {
        period_.skip();
    }
    if (!complete(incumbent_row_, time)) return;
    const double log_time = mean_log(std::exchange(incumbent_row_, {}));
    keep_level(log_time);
    if (pull.arm != incumbent_) return;
    if (incumbent_run_ >= 1) notice(log_time);
    if (trial_seen_) {
        settle(log_time);
        incumbent_run_ = 0;
        if (pull.arm != incumbent_) return;
    } else if (incumbent_run_ >= 2) {
        learn_noise(log_last_two_[0] - (log_last_two_[1] + log_time) / 2);
    }
    log_last_two_[1] = log_last_two_[0];
    log_last_two_[0] = log_time;
    ++incumbent_run_;
    if (row_ == 1 && deviation_ > kVaries) {
        if (const unsigned period = period_.found(); period > 1) compare_rows(period);
    } else if (row_ > 1 && period_.lost(row_)) {
        compare_rows(1);
    }
}

// A step and its neighbours were of different work: what was believed by them is off by as much. 1: single steps again.
void DriftingBandit::compare_rows(unsigned period) {
    if (period > 1) widen(deviation_);
    row_ = period;
    deviation_ = std::max(kFloor, period_.unlike(period));
    forget_trial();
    on_probation_ = false;
    deviations_ = 1;
    surprised_ = levelled_ = 0;
}

void DriftingBandit::learn_noise(double residual) noexcept {
    const double size = std::min(std::abs(residual), kClip * std::max(deviation_, kFloor));
    deviations_ = std::min(deviations_ + 1, kSeen);
    deviation_ = std::max(kFloor, deviation_ + (size - deviation_) / deviations_);
}

// An interruption is over in the next step.
void DriftingBandit::notice(double log_time) noexcept {
    const bool odd = jumped(log_last_two_[0], log_time);
    const bool over = surprised_ == 1 && !jumped(log_last_two_[1], log_time);
    surprised_ = !over && (odd || (surprised_ > 0 && surprised_ < 3)) ? surprised_ + 1 : 0;
}

bool DriftingBandit::jumped(double from, double to) const noexcept {
    return std::abs(to - from) > std::max(kClip * kToDeviation * deviation_, kJump);
}

// The trial is over: it counts against the mean of the incumbent before and after it. If these two have nothing to do
// with each other, the incumbent was interrupted, or the loop has changed or changes from step to step: then the trial
// says as much less as the truth may lie anywhere between them. A trend that was there before is none of that.
void DriftingBandit::settle(double after) {
    trial_seen_ = false;
    const double before = log_last_two_[0];
    double apart = (after - before) / 2;
    const double unlike_trend = apart - (before - log_last_two_[1]);
    if (std::abs(unlike_trend) < std::abs(apart)) apart = unlike_trend;
    const bool agree = !jumped(0, 2 * apart);
    const double seen = log_trial_ - (before + after) / 2;
    learn(tried_, seen, agree ? 0 : apart);
    const Belief& tried = beliefs_[tried_];
    const bool proven = tried.trials >= kProofs || (agree && seen < -kLandslide);
    if (proven && !tried.odd && leads(tried)) promote(tried_);
}

// Where a loop's time is noise, trials change what was believed only a little: they have to show the lead themselves.
bool DriftingBandit::leads(const Belief& belief) noexcept {
    const double lead = kMargin + kConfidence * std::sqrt(belief.variance);
    return belief.mean < -lead && belief.shown.variance >= 0 && belief.shown.mean < -std::sqrt(belief.shown.variance);
}

void DriftingBandit::Estimate::add(double seen, double noise) noexcept {
    if (variance < 0) {
        *this = {seen, noise * noise};
        return;
    }
    const double gain = variance / (variance + noise * noise);
    mean += gain * (seen - mean);
    variance *= 1 - gain;
}

// @param doubt  standard deviation of `seen` beside noise
void DriftingBandit::learn(std::size_t arm, double seen, double doubt) {
    Belief& belief = beliefs_[arm];
    const double noise = std::hypot(kToDeviation * deviation_, doubt);
    const double spread = std::sqrt(belief.variance + noise * noise);
    const bool odd = seen - belief.mean > kClip * spread;
    if (odd && !belief.odd) {  // an interruption, or else it will happen again
        belief.odd = true;
        return;
    }
    belief.odd = false;
    belief.add(std::max(seen, belief.mean - kClip * spread), noise);
    belief.shown.add(seen, noise);
    ++belief.trials;
    // What the model does not know of this choice, in so far as it is no noise: its next prediction starts from that.
    const double off = seen - belief.predicted;
    const double model = prediction_error();
    const double unsaid = off - belief.bias;
    const auto trials = static_cast<double>(std::min<std::uint64_t>(belief.trials, 8));
    belief.bias += unsaid / (trials + noise * noise / (model * model));
    model_error_.add(std::max(off * off - noise * noise, 0.0));
    if (belief.trials > 1) later_error_.add(std::max(unsaid * unsaid - noise * noise, 0.0));
}

void DriftingBandit::Error::add(double square) noexcept {
    weight = std::min<double>(weight + 1, kSeen);
    mean_square += (square - mean_square) / weight;
}

// Few trials say little where every step takes another time: there a new incumbent that takes longer in many steps than
// the one before took gives the title back. But not in a loop whose times grow.
void DriftingBandit::keep_level(double log_time) {
    constexpr unsigned kMax = 1U << 30U;
    levelled_ = std::min(levelled_ + row_, kMax);
    level_ += (log_time - level_) * row_ / std::min<double>(levelled_, kShort);
    long_level_ += (log_time - long_level_) * row_ / levelled_;
    if (!on_probation_ || levelled_ % kShort >= row_) return;
    on_probation_ = levelled_ < kLong;
    const double noise = kToDeviation * deviation_;
    const double error = noise * std::sqrt(row_ / static_cast<double>(levelled_) + row_ / former_levelled_);
    const double behind = long_level_ - former_level_;
    if (behind < kMargin + kProof * error || level_ - long_level_ > noise / std::sqrt(kShort / row_)) return;
    Belief& former = beliefs_[former_];
    former.mean = former.shown.mean = -behind;
    former.variance = former.shown.variance = error * error;
    promote(former_);
    on_probation_ = false;
}

void DriftingBandit::settle_as(std::size_t arm, double ratio, double error) {
    constexpr double kError = 0.005;
    if (arm == incumbent_ || !(ratio > 0)) return;
    if (tried_ == arm) trial_open_ = false;
    Belief& belief = beliefs_[arm];
    belief.mean = std::log(ratio);
    belief.variance = std::max(error * error, kError * kError);
    belief.shown = {belief.mean, belief.variance};
    belief.odd = false;
    belief.trials += kProofs;
    if (belief.mean < -kMargin) promote(arm);
}

void DriftingBandit::promote(std::size_t winner) {
    const Belief won = beliefs_[winner];
    for (Belief& belief : beliefs_) {
        belief.mean -= won.mean;
        belief.predicted -= won.predicted;
        belief.bias -= won.bias;
        if (belief.variance >= 0) belief.variance += won.variance / 2;
        belief.shown.mean -= won.mean;
    }
    // An arm that leads after few trials leads by less than it seems: the old incumbent gets another chance.
    beliefs_[incumbent_].variance = std::max(won.variance, kRegret * kRegret * won.mean * won.mean);
    beliefs_[incumbent_].shown = {-won.shown.mean, won.shown.variance};
    beliefs_[winner] = {};
    beliefs_[winner].trials = won.trials;
    on_probation_ = levelled_ >= kFew && kToDeviation * deviation_ > kNoisy;
    former_ = incumbent_;
    former_level_ = level_;
    former_levelled_ = std::min<double>(levelled_, kShort);
    levelled_ = 0;
    incumbent_ = winner;
    incumbent_run_ = 0;
    incumbent_row_ = {};
    // A trial that is under way was to be compared with the incumbent that is gone.
    trial_open_ = trial_seen_ = false;
}

void DriftingBandit::predict(std::span<const double> times, double error) {
    const double base = std::log(times[incumbent_]);
    for (std::size_t i = 0; i < beliefs_.size(); ++i) {
        if (i == incumbent_) continue;
        Belief& belief = beliefs_[i];
        if (!std::isfinite(times[i])) {
            const bool barred = belief.barred;
            belief = {};
            belief.barred = barred;
            continue;
        }
        belief.predicted = std::log(times[i]) - base;
        const double said = belief.predicted + belief.bias;
        // What was tried is off by what its bias does not explain: where all that is tried lacks what the incumbent has
        // in its caches, each is as far off as the first time, and is not to be tried again because of that.
        const double still = belief.trials > 0 ? std::min(error, rms(later_error_)) : error;
        belief.add(said, still);
    }
    next_look_ = steps_;
    look_every_ = 1;
}

void DriftingBandit::promote_predicted() {
    const std::size_t best = second();
    if (best != incumbent_ && beliefs_[best].mean < -kMargin) promote(best);
}

void DriftingBandit::widen(double change) {
    for (std::size_t i = 0; i < beliefs_.size(); ++i) {
        if (i == incumbent_) continue;
        for (Estimate* const estimate : {static_cast<Estimate*>(&beliefs_[i]), &beliefs_[i].shown})
            if (estimate->variance >= 0) estimate->variance += change * change;
    }
    const double allowed = std::min(kTrialsPerChange * change, static_cast<double>(kFreeTrials));
    trials_ -= std::min(trials_, row_ * static_cast<std::uint64_t>(allowed));
    next_look_ = steps_;
    look_every_ = 1;
}

void DriftingBandit::doubt(double lead) {
    for (std::size_t i = 0; i < beliefs_.size(); ++i) {
        Belief& belief = beliefs_[i];
        if (i != incumbent_ && belief.variance >= 0 && belief.trials == 0)
            belief.mean = std::min(belief.mean, std::max(belief.mean - lead / 2, -lead));
    }
    widen(lead / 2);
}

double DriftingBandit::ratio(std::size_t arm) const noexcept {
    return arm == incumbent_ ? 1 : std::exp(beliefs_[arm].mean);
}

double DriftingBandit::error(std::size_t arm) const noexcept {
    return arm == incumbent_ ? 0 : ratio(arm) * std::sqrt(std::max(beliefs_[arm].variance, 0.0));
}

std::size_t DriftingBandit::second() const noexcept {
    std::size_t best = incumbent_;
    for (std::size_t i = 0; i < beliefs_.size(); ++i) {
        if (i == incumbent_ || beliefs_[i].variance < 0 || beliefs_[i].barred) continue;
        if (best == incumbent_ || beliefs_[i].mean < beliefs_[best].mean) best = i;
    }
    return best;
}

double DriftingBandit::rms(const Error& error) noexcept {
    constexpr double kAtFirst = 0.03;
    constexpr double kMin = 0.01;
    return error.weight < 3 ? kAtFirst : std::max(std::sqrt(error.mean_square), kMin);
}

double DriftingBandit::prediction_error() const noexcept {
    return rms(model_error_);
}

}  // namespace gimbal
