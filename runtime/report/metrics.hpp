// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/run_record.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace gimbal {

/// Where the time of a loop went, mean over its workers: the first four are `time_s`, the fifth comes on top, so that
/// their sum is the wall time of the loop with its entry and exit. Sums over executions [s].
struct TimeParts {
    double work_s = 0;        ///< the program's iterations
    double scheduling_s = 0;  ///< drawing chunks, estimated
    double late_s = 0;        ///< before a worker came, after the first one had
    double waiting_s = 0;     ///< after a worker had finished, until the last one had
    double entry_exit_s = 0;  ///< choosing and planning before, learning and sums after
};

/// @threads any  @cost O(1)
[[nodiscard]] inline TimeParts time_parts(const LoopSummary& loop) noexcept {
    // Each worker is late, then busy, then waiting, and the three are the execution's time.
    return {.work_s = loop.busy_mean_s - loop.scheduling_s,
            .scheduling_s = loop.scheduling_s,
            .late_s = loop.late_s,
            .waiting_s = std::max(0.0, loop.time_s - loop.late_s - loop.busy_mean_s),
            .entry_exit_s = loop.opening_s + loop.closing_s};
}

/// max/mean - 1 of the workers' times, 0 if nothing was measured.
/// @threads any  @cost O(1)
[[nodiscard]] inline double imbalance(double busy_max_s, double busy_mean_s) noexcept {
    return busy_mean_s > 0 ? std::max(0.0, busy_max_s / busy_mean_s - 1) : 0;
}

/// Whether executions had lengths so different that means over them say nothing. @return false where it is not known
[[nodiscard]] inline bool lengths_differ(const LoopSummary& loop) noexcept {
    constexpr double kOtherLength = 1.25;  // N that differs by this factor is another loop
    return static_cast<double>(loop.longest) > kOtherLength * static_cast<double>(loop.shortest) && loop.shortest > 0;
}

/// Whether most executions were left to libomp, so that those that were timed do not stand for the loop: looks at it
/// take what it takes there, and the way in and out of Gimbal.
[[nodiscard]] inline bool mostly_untimed(const LoopSummary& loop) noexcept {
    return 2 * loop.untimed_calls > loop.calls;
}

/// How much more time a loop took than was measured, if executions that libomp ran alone were like the others; 0: none
/// was timed. It does not hold for what Gimbal does in its own ones only: it opens, closes and draws chunks.
[[nodiscard]] inline double all_over_timed(const LoopSummary& loop) noexcept {
    const std::uint64_t timed = loop.calls - std::min(loop.calls, loop.untimed_calls);
    return timed > 0 ? static_cast<double>(loop.calls) / static_cast<double>(timed) : 0;
}

/// One figure of the report: how it is computed and what it means.
struct Metric {
    std::string_view name, unit, formula, meaning;
};

/// All figures of report and JSON; what `gimbal info metrics` prints.
/// @threads any  @cost O(1)
[[nodiscard]] std::span<const Metric> metrics() noexcept;

}  // namespace gimbal
