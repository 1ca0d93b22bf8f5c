// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "report/run_record.hpp"

namespace gimbal {

/// Whether this process ever took part in a loop over distributed data. @threads any
[[nodiscard]] bool any_steals() noexcept;

/// What gimbal_steal_report() was told so far, one entry per loop and number of ranks.
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::vector<LoopSummary> steal_summaries();

/// New lock and no sums after fork(). @threads the only one of a new child
void restart_steals_in_child() noexcept;

}  // namespace gimbal
