// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decide/why.hpp"
#include "gimbal/pin_settings.hpp"

namespace gimbal::pin {

/// Who places the threads.
enum class Phase : std::uint8_t {
    baseline,  ///< the operating system, measured
    learn,     ///< the learners
    hold,      ///< nobody: the best-known placement stands
    released   ///< the operating system, because it was not beaten
};

/// "baseline", "learn", "hold", "released".
[[nodiscard]] std::string_view phase_name(Phase phase) noexcept;

/// One decision of the guard, for reports and traces.
struct GuardEvent {
    std::uint64_t tick = 0;
    Phase phase = Phase::learn;  ///< what begins
    Why why = Why::trial;
    double system = 0;  ///< f of the last window of the operating system's placement; 0: none yet
    double ours = 0;    ///< f of the last window of ours; 0: none yet

    /// One line, in words; of the two only what was measured.
    [[nodiscard]] std::string text() const;
};

/// "Do no harm": compares windows of f under the learners with windows of f under the operating system, falls back to
/// the best-known placement when learning is not ahead, and lets the threads go when that is not ahead either.
///
///     baseline -> learn (a trial) -> ahead: goes on, and looks at the operating system again, ever more rarely
///                                 -> not:  hold the best window's placement -> ahead: stays, looks again
///                                                                          -> not:  released, and tries again, ever
///                                                                          more rarely
///
/// Only neighbouring windows are compared, because the program and its neighbours change: a result that has become old
/// is measured anew before anything follows from it. Where every thread already has a processor to itself nothing is
/// tried, and a change of more than a tenth while released brings the next trial forward.
/// @threads the owner's  @cost O(1) per tick
/// @source reference on placement, 1a ("do no harm": doing nothing beat every learner in the toy); the state machine is
///         ours; test: tests/unit/pinning/decide/guard_test.cpp
class Guard {
public:
    explicit Guard(const Settings& settings);

    /// What a tick brought.
    struct Step {
        bool changed = false;  ///< phase() is new; event() says why
        bool fresh = false;    ///< that is a trial from scratch, not one that goes on
        bool best = false;     ///< a window ended that was the trial's best: remember this placement
        bool window_ended = false;
    };

    /// @param f          objective of this tick; what does not teach is left out
    /// @param valid      threads that it rests on [count]
    /// @param saturated  every one of them had a processor to itself
    /// @param slowest    mean speed of the slowest thread since the window began; 0: not known
    /// @param tried      since the window began something was done that could gain; else ours is the system's, frozen
    [[nodiscard]] Step observe(double f, std::size_t valid, bool saturated, double slowest = 0, bool tried = true);

    /// What is measured still shows the phase before.
    [[nodiscard]] bool settling() const noexcept { return settling_ > 0; }

    /// What was measured so far says nothing any more: the operating system is looked at before anything is decided.
    void doubt() noexcept;

    [[nodiscard]] Phase phase() const noexcept { return phase_; }
    [[nodiscard]] bool released() const noexcept { return phase_ == Phase::baseline || phase_ == Phase::released; }
    [[nodiscard]] const GuardEvent& event() const noexcept { return event_; }
    /// All so far, oldest first; the first 4096.
    [[nodiscard]] const std::vector<GuardEvent>& events() const noexcept { return events_; }

private:
    /// What a window showed.
    struct Worth {
        double f = 0;        ///< mean
        double slowest = 0;  ///< thread; 0: not known
    };

    void enter(Phase phase, Why why, Step& step);
    void start_trial(Step& step);
    void measure_system_again(Step& step);
    void after_baseline(Step& step);
    void after_learning(Step& step);
    void after_holding(Step& step);
    void after_release(Step& step);
    [[nodiscard]] bool ahead(const Worth& ours) const noexcept;

    std::size_t window_;
    std::size_t trial_;
    std::size_t first_rest_;
    double gain_;

    Phase phase_;
    GuardEvent event_;
    std::vector<GuardEvent> events_;
    std::uint64_t now_ = 0;
    double typical_ = 0;  ///< recent maximum of valid threads: a serial part is not compared with a parallel one

    double sum_ = 0;            ///< of f in this window
    std::size_t samples_ = 0;   ///< of that sum
    std::size_t settling_ = 0;  ///< samples of a new phase that still show the one before
    bool tried_ = true;         ///< in the window that just ended
    bool saturated_ = true;     ///< in all of this window
    Worth worth_;               ///< of the window that just ended

    Worth system_;                    ///< the operating system's placement
    Worth ours_;                      ///< learners or held placement
    double best_ = 0;                 ///< best window of the trial
    double reference_ = 0;            ///< f when the release or the holding began
    std::size_t windows_ = 0;         ///< in this phase
    std::size_t behind_ = 0;          ///< windows in a row that were behind and no better than the one before
    std::size_t age_ = 0;             ///< windows since system_ was measured
    std::size_t recheck_;             ///< windows ahead until the operating system is measured again
    std::size_t rest_;                ///< windows of the next pause
    Phase resume_ = Phase::released;  ///< what goes on if measuring the system again confirms it; released: nothing
};

}  // namespace gimbal::pin
