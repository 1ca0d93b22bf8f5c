// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace gimbal {

/// What the executions under one schedule amount to, whatever the reason.
struct ScheduleSum {
    std::string schedule;
    std::string reason;               ///< of most of them
    std::uint64_t calls = 0;          ///< exploring or not [count]
    std::uint64_t settled_calls = 0;  ///< not exploring, as all of one thread are [count]
    std::uint64_t timed_calls = 0;    ///< of those, with a time that is known [count]
    double settled_s = 0;             ///< loop time of those [s]
    double median_s = 0;              ///< of the last ones for the most frequent reason; 0: not known [s]
    double median_error_s = -1;       ///< its standard error; < 0: not known [s]

    /// Mean loop time of an execution that did not explore [s]; 0: there was none, or its time is not known.
    [[nodiscard]] double call_s() const noexcept;
    /// The median if it is known, else the mean; what schedules are compared by [s].
    [[nodiscard]] double typical_s() const noexcept { return median_s > 0 ? median_s : call_s(); }
};

/// Add executions under the same schedule. Medians do not add up: that of several is their mean, weighted by calls.
void add_use(const ScheduleUse& use, ScheduleUse& sum) noexcept;

/// One entry per schedule, in the order in which they first ran.
/// @errors std::bad_alloc  @threads any  @cost O(uses^2)
[[nodiscard]] std::vector<ScheduleSum> schedule_sums(const LoopSummary& loop);

/// The schedule that ran most without exploring, else the one that ran most.
/// @return nothing if no loop ran  @errors std::bad_alloc  @threads any  @cost O(uses^2)
[[nodiscard]] std::optional<ScheduleSum> main_choice(const LoopSummary& loop);

/// The reason of loops that a replayed record does not have.
inline constexpr const char* kNotRecorded = "not recorded";

/// The reason of executions that workers of other ranks took part in.
inline constexpr const char* kLentCores = "cores lent by other ranks";

/// The reason of executions that were left to libomp before the loop was known, after others that were short, and were
/// not seen to be short, too.
inline constexpr const char* kLeftUnseen = "left unseen, among short loops";

/// Whether nothing is known of what a loop takes: it was left so, and never timed.
[[nodiscard]] bool left_unseen(const LoopSummary& loop) noexcept;

/// Whether the other choice takes another time than the main one by more than chance: what was measured by two standard
/// errors; and faster is only what was measured in five calls or more. What was predicted is taken as it is.
[[nodiscard]] bool differs(const AlternativeUse& other) noexcept;

/// Whether a selector that learns chose, rather than a user or a default.
[[nodiscard]] bool chosen_by_selector(const std::string& reason);

/// Executions that libomp ran as its own static after Gimbal had left them to it: they count as calls, in no time. The
/// reason is that they are short, or that nothing was to be gained in longer ones, or kLeftUnseen.
/// @param unseen  of the calls: left before the loop was known, and not seen to be short [count]
/// @errors std::bad_alloc
void add_untimed(LoopSummary& loop, std::uint64_t calls, std::uint64_t iterations, std::uint64_t unseen = 0);

/// Fill in what follows from the uses: lengths, exploring_calls, exploring_cost_s, and the alternative.
/// exploring_cost_s is the time of all exploring executions less what as many executions of the main choice take in the
/// mean; 0 if that is negative (exploring found something better), nothing ran without exploring, or executions had so
/// different lengths that a mean says nothing.
/// @param predicted  what the selector takes for the best other choice; its schedule is empty if it knows none. Then it
///                   is the other schedule with the smallest median time over three or more calls, unless lengths
///                   differ. If its ratio to the main choice is known, that holds, and call_s follows: what one call
///                   takes now says little where the loop has grown or shrunk; it is of the time without that which
///                   threads came late by. A ratio of 0 follows from call_s, and its error from those of the medians
///                   and from that time. There is no other where most calls were not timed.
/// @errors std::bad_alloc  @threads any  @cost O(uses^2)
void complete_choices(LoopSummary& loop, const AlternativeUse& predicted);

}  // namespace gimbal
