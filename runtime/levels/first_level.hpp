// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "levels/pair_learner.hpp"
#include "measure/work_rates.hpp"

namespace gimbal::levels {

/// Which level may try something first where both schedules and placement learn in a process: the one that can act on
/// what the process's loops lose. Unequal work is for schedules, workers that are slow at the same work for placement.
/// The other level holds still for two seconds from when the cause is seen, then both learn: the cause may be one that
/// the first cannot act on. A cause that comes again holds nobody for twenty seconds after that.
/// @threads any: loops note what they lose, and every choice asks  @cost ask: a load where nobody is asked to hold
/// @source derived; test: tests/unit/levels/first_level_test.cpp
class FirstLevel {
public:
    static constexpr double kPatience_s = 2;
    static constexpr double kRest_s = 20;

    /// Placement learns in this process from now on, or no more. Until then nobody holds.
    void set_placement_learns(bool learns) noexcept;
    [[nodiscard]] bool placement_learns() const noexcept { return placement_learns_.load(std::memory_order_relaxed); }

    /// An execution has shown what it lost. @param now_s  on any clock that goes forward [s]
    void note(const LossByCause& loss, double now_s) noexcept;

    /// Whether schedules, or placement, try nothing now: the other one is asked first.
    [[nodiscard]] bool holds(Level level, double now_s) const noexcept;

private:
    enum class Cause : std::uint8_t { none, work, rate };

    std::atomic<bool> placement_learns_{false};
    std::atomic<double> hold_until_s_{0};  // on the clock of note()
    std::atomic<Cause> cause_{Cause::none};
    std::mutex mutex_;    // of what follows; note() by one that finds it held is left out
    LossByCause recent_;  // decayed by each note
    double work_rests_until_s_ = 0, rate_rests_until_s_ = 0;
};

/// The one of this process. @threads any
[[nodiscard]] FirstLevel& first_level() noexcept;

}  // namespace gimbal::levels
