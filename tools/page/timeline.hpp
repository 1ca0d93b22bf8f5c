// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gimbal::page {

/// Successive executions of a loop as one point of a chart.
struct TimelinePoint {
    std::uint64_t first = 0, last = 0;  ///< steps, counted from 0
    double loop_s = 0;                  ///< mean loop time [s]
    double longest_s = 0;               ///< longest of them [s]
    double late_or_lost = 0;            ///< mean part of loop time before workers begin and after they end, in [0, 1]
    std::size_t schedule = 0;           ///< index of what ran most among them
    bool exploring = false;             ///< one of them ran to learn
};

/// A step that ran another schedule than the one before it.
struct TimelineChange {
    std::uint64_t step = 0;
    std::size_t schedule = 0;
    std::string reason;
    bool exploring = false;
};

/// Every execution of one loop, from a file that GIMBAL_RECORD wrote, in at most kMaxPoints points.
struct Timeline {
    std::string loop;  ///< as the file names it, or the record of who wrote it
    std::uint32_t workers = 0;
    int rank = -1;  ///< whose file it was; -1: not known
    std::uint64_t steps = 0;
    std::vector<std::string> schedules;  ///< in order of first use
    std::vector<TimelinePoint> points;
    std::vector<TimelineChange> changes;  ///< the first kMaxChanges
    std::uint64_t all_changes = 0;        ///< [count]
};

inline constexpr std::size_t kMaxPoints = 400;
inline constexpr std::size_t kMaxChanges = 60;

/// The loops of a file of steps (report/steps.hpp); steps in the order of the file.
/// @errors gimbal::Error(file): not such a file, or a number in it that is none, with the line
/// @threads any  @cost O(size)
[[nodiscard]] std::vector<Timeline> timelines_of(std::string_view text, int rank);

}  // namespace gimbal::page
