// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/run_record.hpp"

namespace gimbal {

/// What the executions under one schedule amount to, whatever the reason.
struct ScheduleSum {
    std::string schedule;
    std::string reason;               ///< of most of them
    std::uint64_t calls = 0;          ///< exploring or not [count]
    std::uint64_t settled_calls = 0;  ///< not exploring [count]
    double settled_s = 0;             ///< loop time of those [s]

    /// Mean loop time of an execution that did not explore [s]; 0: there was none, or its time is not known.
    [[nodiscard]] double call_s() const noexcept;
};

/// The schedule that ran most without exploring, else the one that ran most.
/// @return nothing if no loop ran  @errors std::bad_alloc  @threads any  @cost O(uses^2)
[[nodiscard]] std::optional<ScheduleSum> main_choice(const LoopSummary& loop);

/// Whether a selector that learns chose, rather than a user or a default.
[[nodiscard]] bool chosen_by_selector(const std::string& reason);

/// Fill in what follows from the uses: exploring_calls, exploring_cost_s, and the alternative.
/// exploring_cost_s is the time of all exploring executions less what as many executions of the main choice take in the
/// mean; 0 if that is negative (exploring found something better) or nothing ran without exploring.
/// @param predicted  what the selector takes for the best other choice; its schedule is empty if it knows none. Then it
///                   is the other schedule with the smallest mean time over three or more calls. If its ratio to the
///                   main choice is known, that holds, and call_s follows: what one call takes now says little where
///                   the loop has grown or shrunk; a ratio of 0 follows from call_s.
/// @errors std::bad_alloc  @threads any  @cost O(uses^2)
void complete_choices(LoopSummary& loop, const AlternativeUse& predicted);

}  // namespace gimbal
