// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/pair_beliefs.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal::levels {

namespace {

constexpr unsigned kWindow = 16;      // steps of the incumbent that count
constexpr double kNoiseMemory = 64;   // steps
constexpr double kMinNoise = 0.002;   // no program repeats itself better
constexpr double kPartOff = 1.0 / 3;  // of what the model has wrong of a time: what it may have wrong of ratios
constexpr double kModelWeight = 4;    // pairs: what is believed of the model's error before trials show it
constexpr double kMinModelError = 0.003;
constexpr double kClip = 9;       // squares of deviations beyond which something else happened
constexpr unsigned kKnown = 3;    // steps after which one can be off
constexpr unsigned kStops = 2;    // in a row, which are no interruption
constexpr unsigned kMaxOut = 64;  // predictions for which a pair is out

}  // namespace

double PairBeliefs::noise() const noexcept {
    return std::max(kMinNoise, std::sqrt(noise_sum_ / noise_weight_));
}

double PairBeliefs::reference() const noexcept {
    return std::exp(log_reference_);
}

double PairBeliefs::note_incumbent(double time) {
    const double now = std::log(time);
    double off = 0;
    if (reference_steps_ > 0) {
        const double steps = reference_steps_;
        const double residual = (now - log_reference_) * std::sqrt(steps / (steps + 1));
        if (reference_steps_ >= kKnown) off = residual / noise();
        const double square = std::min(residual * residual, kClip * noise() * noise());
        const double keep = std::min(1.0, kNoiseMemory / (noise_weight_ + 1));
        noise_sum_ = keep * (noise_sum_ + square);
        noise_weight_ = keep * (noise_weight_ + 1);
    }
    reference_steps_ = std::min(reference_steps_ + 1, kWindow);
    ++incumbent_steps_;
    log_reference_ += (now - log_reference_) / reference_steps_;
    return off;
}

void PairBeliefs::note_trial(std::size_t pair, double time) {
    Belief& belief = beliefs_[pair];
    if (belief.trials == 0) belief.since = incumbent_steps_ - reference_steps_;
    belief.sum += std::log(time) - log_reference_;
    ++belief.trials;
    belief.stops = 0;
}

void PairBeliefs::note_stop(std::size_t pair) noexcept {
    Belief& belief = beliefs_[pair];
    if (++belief.stops < kStops) return;
    belief.out_for = std::min(1U << std::min(belief.stops - kStops, 31U), kMaxOut);
}

void PairBeliefs::predict(std::span<const double> times) {
    for (std::size_t i = 0; i < beliefs_.size(); ++i) {
        if (beliefs_[i].out_for > 0) --beliefs_[i].out_for;
        beliefs_[i].hopeless = !std::isfinite(times[i]);
        if (!beliefs_[i].hopeless) beliefs_[i].predicted = std::log(times[i]);
    }
    predicted_ = true;
    if (reference_steps_ == 0) return;
    const double off = std::abs(log_reference_ - beliefs_[incumbent_].predicted);
    first_error_ = std::max(kFirstModelError, kPartOff * off);
}

void PairBeliefs::forget() noexcept {
    for (Belief& belief : beliefs_) {
        belief.sum = 0;
        belief.trials = 0;
        belief.stops = belief.out_for = 0;
    }
    reference_steps_ = 0;
}

// The reference goes on as what the new incumbent is believed to take.
void PairBeliefs::promote(std::size_t pair) {
    const Gain won = gain(pair);
    for (Belief& belief : beliefs_) belief.sum += won.mean * belief.trials;
    beliefs_[incumbent_].trials = 0;
    beliefs_[incumbent_].sum = 0;
    log_reference_ -= won.mean;
    reference_steps_ = std::clamp(beliefs_[pair].trials, 1U, kWindow);
    incumbent_steps_ = std::max<std::uint64_t>(incumbent_steps_, reference_steps_);
    incumbent_ = pair;
}

bool PairBeliefs::possible(std::size_t pair) const noexcept {
    return predicted_ && !beliefs_[pair].hopeless && beliefs_[pair].out_for == 0;
}

// Trials in turn with the incumbent have met all its steps since the first of them.
double PairBeliefs::trial_variance(const Belief& belief) const noexcept {
    const double square = noise() * noise();
    const auto compared = static_cast<double>(std::max<std::uint64_t>(incumbent_steps_ - belief.since, 1));
    return square / belief.trials + square / compared;
}

PairBeliefs::Gain PairBeliefs::shown(std::size_t pair) const noexcept {
    const Belief& belief = beliefs_[pair];
    return {-belief.sum / belief.trials, std::sqrt(trial_variance(belief))};
}

PairBeliefs::Gain PairBeliefs::gain(std::size_t pair) const noexcept {
    const Belief& belief = beliefs_[pair];
    const double model = model_error();
    double weight = 1 / (model * model);
    double sum = weight * (beliefs_[incumbent_].predicted - belief.predicted);
    if (belief.trials > 0) {
        const double trial_weight = 1 / trial_variance(belief);
        sum -= trial_weight * belief.sum / belief.trials;
        weight += trial_weight;
    }
    return {sum / weight, std::sqrt(1 / weight)};
}

double PairBeliefs::model_error() const noexcept {
    const double first_variance = first_error_ * first_error_;
    double sum = kModelWeight * first_variance;
    double weight = kModelWeight;
    double least = kMinModelError * kMinModelError;
    for (const Belief& belief : beliefs_) {
        if (belief.trials == 0 || belief.hopeless) continue;
        const double seen = belief.sum / belief.trials;
        const double off = seen - (belief.predicted - beliefs_[incumbent_].predicted);
        // Trials that are noisier than the model say little about it.
        const double variance = trial_variance(belief);
        const double counts = 1 / ((1 + variance / first_variance) * (1 + variance / first_variance));
        sum += counts * (off * off - variance);
        weight += counts;
        least = std::max(least, off * off / (kStandardErrors * kStandardErrors) - variance);
    }
    return std::sqrt(std::max(least, sum / weight));
}

}  // namespace gimbal::levels
