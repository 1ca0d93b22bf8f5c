// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace gimbal::pin {

/// What one thread's counter showed at one moment. Totals since some start; only differences mean something.
struct Reading {
    std::int64_t value = 0;        ///< in the backend's unit; processor time in ns for Backend::cpu_time
    std::int64_t cpu_time_ns = 0;  ///< on a processor
    std::int64_t wait_ns = -1;     ///< ready to run, but no processor was free (schedstat); -1: not known
    std::int64_t wall_ns = 0;      ///< monotonic clock
    std::int64_t enabled_ns = 0;   ///< the event was wanted this long; 0: it is never multiplexed
    std::int64_t running_ns = 0;   ///< ... and counted this long
    std::int64_t within_ns = -1;   ///< the value, then in ns, too, was gained in so much time; -1: in all of it
    bool valid = false;            ///< false: nothing could be read, the thread has ended or not started
};

/// What to make of two readings.
enum class Verdict : std::uint8_t {
    ok,
    unread,     ///< one of them is not valid, or the counter was not running
    too_short,  ///< less than half a period lies between them
    blocked,    ///< the thread wanted no processor: it slept or waited for others
    silent,     ///< a count that comes with its time has told nothing new
    absurd      ///< the counter went backwards, or faster than any processor
};
[[nodiscard]] std::string_view verdict_name(Verdict verdict) noexcept;

/// What a thread did between two readings.
struct Speed {
    /// Value per second, scaled up if the event was multiplexed; 1e9 is a whole core for Backend::cpu_time. Of a count
    /// that comes with its time: value over that time.
    double per_s = 0;
    double cpu_share = 0;    ///< processor time over elapsed time, [0, 1]
    double wait_share = -1;  ///< waiting for a processor over elapsed time, [0, 1 - cpu_share]; -1: not known
    double elapsed_s = 0;
    Verdict verdict = Verdict::unread;
    /// Only then may it teach anything.
    [[nodiscard]] bool valid() const noexcept { return verdict == Verdict::ok; }
};

/// The limits of a valid measurement.
struct SpeedRules {
    double period_s = 0.2;        ///< nominal time between readings [s]
    double blocked_below = 0.05;  ///< share of time on or waiting for a processor below which a thread is blocked
    double most_per_ns = 64;      ///< faster than this is no count [1/ns of processor time]; 0: anything goes
};

/// The performance between two readings of one thread, the older one first. Shares are right even where per_s is not.
/// @errors none (noexcept): see verdict  @threads any  @cost O(1)
/// @source reference on placement, 1a (discard rules) and section 3 (enabled over running);
///         test: tests/unit/pinning/counters/reading_test.cpp
[[nodiscard]] Speed speed_between(const Reading& before, const Reading& after, const SpeedRules& rules) noexcept;

}  // namespace gimbal::pin
