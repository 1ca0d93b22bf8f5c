// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/run_record.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gimbal {

/// The exit report of one process in plain ASCII: header, table of loops, at most three NOTE lines, WARN lines.
/// @param record  names already resolved (names.hpp)
/// @param level   off: empty text; full: every setting and every worker as well
/// @param width   of lines at most, where words allow it (report/table.hpp) [characters]; 0: any
/// @errors std::bad_alloc  @threads any  @cost O(loops log loops)
[[nodiscard]] std::string summary_text(const RunRecord& record, ReportLevel level, std::size_t width = 0);

/// One report for the records of many processes: the same, with minimum, mean and maximum over ranks.
/// @param records  at least one, in any order
/// @errors std::bad_alloc  @threads any  @cost O(records * loops)
[[nodiscard]] std::string merged_text(std::span<const RunRecord> records, ReportLevel level, std::size_t width = 0);

/// Several runs side by side: of every loop the time, the imbalance and the technique in each, and each run's time over
/// the first one's. Runs are called A, B, C, ... in the order given. A loop's ratio is of the time per call.
/// @param runs  two or more, each with at least one record, all of one run (report/merge.hpp); names already resolved
/// @errors std::bad_alloc  @threads any  @cost O(records * loops)
[[nodiscard]] std::string compared_text(std::span<const std::vector<RunRecord>> runs);

}  // namespace gimbal
