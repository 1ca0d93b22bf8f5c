// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace gimbal {

/// Several runs side by side: of every loop the time, the imbalance and the technique in each, and each run's time over
/// the first one's. Runs are called A, B, C, ... in the order given. A loop's ratio is of the time per call.
/// @param runs  two or more, each with at least one record, all of one run (report/jobs.hpp); names already resolved
/// @errors std::bad_alloc  @threads any  @cost O(records * loops)
[[nodiscard]] std::string compared_text(std::span<const std::vector<RunRecord>> runs);

}  // namespace gimbal
