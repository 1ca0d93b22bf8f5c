// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/model_tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace gimbal {

namespace {

constexpr double kReach = 0.05;
constexpr double kStep = 0.01;
constexpr std::size_t kMaxCandidates = 11;
constexpr std::array<double, 4> kStrides{0.1, 0.2, 0.4, 0.8};
constexpr unsigned kMaxWalks = 2;  // between two trials
constexpr double kLargeDrift = 0.5;
constexpr double kResolved = 0.01;  // relative error of a mean with which a window is still worth searching

}  // namespace

ModelTuner::ModelTuner(const ModelSettings& settings)
    : settings_(settings), search_(kMaxCandidates, settings.repetitions) {
    settings_.chunk = std::max<std::uint64_t>(settings_.chunk, 1);
    start_trials();
}

double ModelTuner::fraction() const noexcept {
    return stage_ == Stage::settled ? settled_fraction_ : search_.current();
}

std::string_view ModelTuner::stage() const noexcept {
    if (stage_ == Stage::settled) return "settled";
    if (stage_ == Stage::search || stage_ == Stage::walk || stage_ == Stage::duel) return "search";
    return search_.current() > 0.5 ? "static trial" : "dynamic trial";
}

void ModelTuner::start_trials() noexcept {
    constexpr std::array<double, 2> kStaticAndDynamic{1, 0};
    const std::span<const double> both(kStaticAndDynamic);
    stage_ = Stage::trials;
    walks_ = 0;
    search_.start(settings_.source == FractionSource::noise ? both.last(1) : both);
}

void ModelTuner::start_search(double around) noexcept {
    stage_ = Stage::search;
    centre_ = around;
    search_.start_around(around, kReach, kStep);
}

// What the model says, and fractions so far from it that even noise cannot hide the difference.
void ModelTuner::start_survey(double around) noexcept {
    stage_ = Stage::walk;
    search_.start(std::array<double, 6>{around, std::clamp(around - 0.2, 0.0, 1.0), std::clamp(around + 0.2, 0.0, 1.0),
                                        std::clamp(around - 0.4, 0.0, 1.0), std::clamp(around + 0.4, 0.0, 1.0), 0.0});
}

// The best of a window at its edge: the model was off by more than the window. Candidates farther on in that direction,
// in growing strides.
bool ModelTuner::start_walk(double best) noexcept {
    const double off = best - centre_;
    const bool at_edge = std::abs(off) > kReach - kStep / 2;
    if (!at_edge || best <= 0 || best >= 1 || walks_ == kMaxWalks) return false;
    ++walks_;
    std::array<double, kStrides.size() + 1> candidates{best};
    for (std::size_t i = 0; i < kStrides.size(); ++i) {
        candidates[i + 1] = std::clamp(best + std::copysign(kStrides[i], off), 0.0, 1.0);
    }
    stage_ = Stage::walk;
    search_.start(candidates);
    return true;
}

// After fractions far apart: the window around their best, or a duel where noise would decide the window.
void ModelTuner::look_closer() noexcept {
    const double best = search_.current();
    noisy_ = search_.error() > kResolved;
    if (!noisy_) {
        start_search(best);
        return;
    }
    stage_ = Stage::duel;
    search_.start_duel(std::array<double, 3>{best, search_.best_but(best), 0.0});
}

void ModelTuner::settle(double fraction) noexcept {
    stage_ = Stage::settled;
    settled_fraction_ = fraction;
    watch_.settle(0);  // by the medians that follow: the search went by means
}

// The means are worker time per iteration, P * time / N, so t_ov = (N/P) t_q / c is t_q / c here, and T_p is t1.
void ModelTuner::apply_model(const FractionTrial& last) noexcept {
    const double dequeue = settings_.dequeue / static_cast<double>(settings_.chunk);
    const bool noise_only = settings_.source == FractionSource::noise;
    const double dynamic = search_.mean(noise_only ? 0 : 1);
    region_ = {.iterations = static_cast<double>(last.iterations),
               .workers = static_cast<double>(last.workers),
               .iteration_time = std::max(dynamic - dequeue, 0.0),
               .dequeue = dequeue};
    application_ = 0;
    if (!noise_only) {
        application_ = application_delay(search_.mean(0), dynamic, dequeue, settings_.delay_form) *
                       (region_.iterations / region_.workers);
    }
    const double noise = settings_.source == FractionSource::application ? 0 : std::max(settings_.noise_delay, 0.0);
    modelled_ = 1 - dynamic_fraction(region_, application_ + noise, settings_.form);
}

void ModelTuner::learn(const FractionTrial& trial) {
    const double cost = trial.cost();
    if (std::isnan(cost)) return;
    const bool tries_neighbours = settings_.source == FractionSource::both;
    switch (stage_) {
        case Stage::trials:
            if (!search_.learn(trial.fraction, cost)) return;
            apply_model(trial);
            if (tries_neighbours) {
                start_survey(modelled_);
            } else {
                settle(modelled_);
            }
            return;
        case Stage::search:
            if (!search_.learn(trial.fraction, cost)) return;
            if (!start_walk(search_.current())) settle(search_.current());
            return;
        case Stage::walk:
            if (search_.learn(trial.fraction, cost)) look_closer();
            return;
        case Stage::duel:
            if (search_.learn(trial.fraction, cost)) settle(search_.current());
            return;
        case Stage::settled: {
            const double drift = watch_.learn(cost);
            if (drift <= 0) return;
            if (tries_neighbours && drift <= kLargeDrift) {
                walks_ = 0;
                noisy_ ? start_survey(settled_fraction_) : start_search(settled_fraction_);
            } else {
                start_trials();
            }
            return;
        }
    }
}

}  // namespace gimbal
