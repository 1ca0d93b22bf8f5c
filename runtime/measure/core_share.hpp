// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>

namespace gimbal {

/// What the operating system has counted for a thread since it began.
struct ThreadUsage {
    double processor = 0;         ///< time that it ran [ticks]
    std::uint64_t preempted = 0;  ///< how often its processor was taken from it [count]
    std::uint64_t slept = 0;      ///< how often it gave its processor up [count]
};

/// Of the calling thread. @threads any  @errors none: zeros where the system does not say  @cost a system call, 0.5 us
[[nodiscard]] ThreadUsage thread_usage() noexcept;

/// How one thread shares its core with others that want to run all the time: it runs for a while, is away for a while,
/// and so on. The scheduler of the system makes these turns of nearly equal length (a few milliseconds), so that a
/// thread can tell when it will be taken off next, and for how long.
///
/// The thread is looked at now and then while it computes. A gap between two looks that was at least kLeastAbsence
/// longer than its processor time, during which the system says that it was preempted, is an absence. Absences nobody
/// saw (at a barrier, say) are placed where the turns so far say.
/// @threads the thread's own  @source test: tests/unit/measure/core_share_test.cpp
class CoreShare {
public:
    /// Shorter absences are the business of interrupts, not of a neighbour [us].
    static constexpr double kLeastAbsence_us = 500;

    /// @param ticks_per_us  > 0: unit of all times here
    constexpr void scale(double ticks_per_us) noexcept { least_ = kLeastAbsence_us * ticks_per_us; }

    /// The thread is seen again after something that was not looked at. @return was it preempted since the last look?
    bool enter(std::uint64_t now, const ThreadUsage& usage) noexcept;

    /// Since the last look, has enough time gone by for an absence? If so, call back() with what the system says.
    /// @cost a few ns
    [[nodiscard]] bool overdue(std::uint64_t now) noexcept {
        if (static_cast<double>(now - last_) >= least_) return true;
        last_ = now;
        return false;
    }

    /// The thread comes out of a long gap. @return how long it was away in it [ticks]; 0: it was not preempted
    double back(std::uint64_t now, const ThreadUsage& usage) noexcept;

    /// When the thread will lose its core [ticks from now]; negative: that should have been; infinite: nobody shares
    /// it, as far as is known.
    [[nodiscard]] double left(std::uint64_t now) const noexcept;

    /// For how long the core is lost then [ticks]; 0: not known.
    [[nodiscard]] double absence() const noexcept { return away_; }

private:
    [[nodiscard]] double absent_since(std::uint64_t now, const ThreadUsage& usage) const noexcept;
    void look(std::uint64_t now, const ThreadUsage& usage) noexcept;

    double least_ = std::numeric_limits<double>::infinity();
    std::uint64_t last_ = 0;   // look [ticks]
    std::uint64_t asked_ = 0;  // when usage_ was read [ticks]; 0: never
    ThreadUsage usage_;        // then
    std::uint64_t began_ = 0;  // this turn [ticks]; 0: not known
    bool seen_ = false;        // that beginning was seen, not guessed
    double turn_ = 0;          // how long a turn is [ticks]; 0: not known
    double away_ = 0;          // how long an absence is [ticks]; 0: not known
};

/// The calling thread's own.
[[nodiscard]] CoreShare& core_share() noexcept;

}  // namespace gimbal
