// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/guard.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "decide/running_mean.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal::pin {

namespace {

constexpr std::size_t kLongest = 8;  ///< pauses, and times until a recheck, grow to this many times their first length
constexpr double kNoLoss = 0.02;     ///< in the other of mean and slowest; what a window cannot tell apart
constexpr double kNoise = 0.04;      ///< of the slowest of some threads in one window
constexpr double kDisturbed = 0.1;   ///< relative change of f that says that conditions have changed
constexpr double kTypicalDecay = 0.99;     ///< per tick
constexpr std::size_t kFirstRecheck = 10;  ///< windows ahead before the first recheck
constexpr std::size_t kMaxEvents = 4096;
constexpr std::size_t kVeryOld = 1'000'000;
constexpr std::size_t kStale = 3;  ///< windows beyond a trial after which a baseline is old

}  // namespace

std::string_view phase_name(Phase phase) noexcept {
    constexpr std::array<std::string_view, 4> kNames = {"baseline", "learn", "hold", "released"};
    return kNames[static_cast<std::size_t>(phase)];
}

std::string GuardEvent::text() const {
    std::string line = "tick " + std::to_string(tick) + ": " + std::string(phase_name(phase)) + " (" +
                       std::string(why_name(why)) + ")";
    // What no window has measured yet is not said, and not compared.
    if (system > 0) line += "; operating system " + significant_digits(system, 4);
    if (ours > 0) line += (system > 0 ? ", ours " : "; ours ") + significant_digits(ours, 4);
    if (system > 0 && ours > 0) {
        const double gain = 100 * (ours / system - 1);
        line += std::string(" (") + (std::signbit(gain) ? "" : "+") + fixed_digits(gain, 1) + " %)";
    }
    return line;
}

Guard::Guard(const Settings& settings)
    : window_(settings.guard_window),
      trial_(settings.guard_trial),
      first_rest_(settings.guard_rest),
      gain_(settings.guard_gain),
      phase_(settings.guard ? Phase::baseline : Phase::learn),
      recheck_(kFirstRecheck),
      rest_(settings.guard_rest) {
    if (!settings.guard) window_ = 0;
    event_ = {0, phase_, settings.guard ? Why::baseline : Why::trial, 0, 0};
    events_.push_back(event_);
}

bool Guard::ahead(const Worth& ours) const noexcept {
    const double mean = ours.f / system_.f;
    const double slowest = ours.slowest > 0 && system_.slowest > 0 ? ours.slowest / system_.slowest : mean;
    return (mean >= 1 + gain_ && slowest >= 1 - kNoLoss) || (slowest >= 1 + kNoise + gain_ && mean >= 1 - kNoLoss);
}

Guard::Step Guard::observe(double f, std::size_t valid, bool saturated, double slowest, bool tried) {
    Step step;
    ++now_;
    typical_ = std::max(kTypicalDecay * typical_, static_cast<double>(valid));
    if (window_ == 0 || !teaches(f) || static_cast<double>(valid) < typical_ / 2) return step;
    if (settling_ > 0) {
        --settling_;
        return step;
    }
    sum_ += f;
    saturated_ = saturated_ && saturated;
    if (++samples_ < window_) return step;
    tried_ = tried;
    worth_ = {sum_ / static_cast<double>(samples_), slowest};
    step.window_ended = true;
    ++windows_;
    ++age_;
    switch (phase_) {
        case Phase::baseline:
            after_baseline(step);
            break;
        case Phase::learn:
            after_learning(step);
            break;
        case Phase::hold:
            after_holding(step);
            break;
        case Phase::released:
            after_release(step);
            break;
    }
    sum_ = 0;
    samples_ = 0;
    saturated_ = true;
    return step;
}

void Guard::doubt() noexcept {
    sum_ = 0;
    samples_ = 0;
    saturated_ = true;
    best_ = 0;
    age_ = kVeryOld;
}

void Guard::enter(Phase phase, Why why, Step& step) {
    phase_ = phase;
    windows_ = 0;
    settling_ = std::min<std::size_t>(2, window_ / 4);
    event_ = {now_, phase, why, system_.f, ours_.f};
    if (events_.size() < kMaxEvents) events_.push_back(event_);
    step.changed = true;
}

void Guard::start_trial(Step& step) {
    best_ = 0;
    behind_ = 0;
    ours_ = {};
    resume_ = Phase::released;
    enter(Phase::learn, Why::trial, step);
    step.fresh = true;
}

void Guard::measure_system_again(Step& step) {
    resume_ = phase_;
    enter(Phase::baseline, Why::baseline, step);
}

void Guard::after_baseline(Step& step) {
    system_ = worth_;
    age_ = 0;
    const Phase before = resume_;
    resume_ = Phase::released;
    if (before != Phase::released && ahead(ours_)) {
        recheck_ = std::min(2 * recheck_, kLongest * kFirstRecheck);
        enter(before, before == Phase::hold ? Why::best : Why::trial, step);
        if (before == Phase::hold) reference_ = ours_.f;
        windows_ = trial_;  // it has shown what it can
        return;
    }
    recheck_ = kFirstRecheck;
    if (saturated_) {
        reference_ = worth_.f;
        enter(Phase::released, Why::let_go, step);
        return;
    }
    start_trial(step);
}

void Guard::after_learning(Step& step) {
    const bool better = worth_.f > (1 + gain_) * ours_.f;
    ours_ = worth_;
    if (worth_.f > best_) {
        best_ = worth_.f;
        step.best = true;
    }
    if (ahead(worth_)) {
        behind_ = 0;
        rest_ = first_rest_;
        if (age_ >= recheck_ + trial_) measure_system_again(step);
        return;
    }
    if (!tried_) {
        reference_ = system_.f;
        enter(Phase::released, Why::let_go, step);
        return;
    }
    behind_ = better ? 0 : behind_ + 1;
    if (windows_ < trial_ && behind_ < 2) return;
    if (age_ > trial_ + kStale) {
        measure_system_again(step);
        return;
    }
    reference_ = 0;
    enter(Phase::hold, Why::best, step);
}

void Guard::after_holding(Step& step) {
    ours_ = worth_;
    if (reference_ <= 0) reference_ = worth_.f;
    // A change either way may be one that the operating system can answer and a placement that stands cannot.
    if (std::abs(worth_.f - reference_) > kDisturbed * reference_) {
        measure_system_again(step);
        return;
    }
    if (ahead(worth_)) {
        rest_ = first_rest_;
        if (age_ >= recheck_ + trial_) measure_system_again(step);
        return;
    }
    if (age_ > trial_ + kStale) {
        measure_system_again(step);
        return;
    }
    reference_ = system_.f;
    enter(Phase::released, Why::let_go, step);
}

void Guard::after_release(Step& step) {
    const bool disturbed = std::abs(worth_.f - reference_) > kDisturbed * reference_;
    system_ = worth_;
    age_ = 0;
    if (saturated_) {
        reference_ = worth_.f;
        return;  // there is nothing to win
    }
    if (windows_ >= rest_) {
        rest_ = std::min(2 * rest_, kLongest * first_rest_);
        start_trial(step);
    } else if (disturbed && windows_ >= std::max<std::size_t>(1, rest_ / 4)) {
        resume_ = Phase::released;
        enter(Phase::baseline, Why::baseline, step);  // this window saw both what was and what is
    }
}

}  // namespace gimbal::pin
