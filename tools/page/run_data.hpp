// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/run_record.hpp"
#include "timeline.hpp"

namespace gimbal::page {

using Json = nlohmann::ordered_json;

/// One run and what is known of its single steps.
struct Run {
    std::vector<RunRecord> records;   ///< of one run, at least one; names already resolved
    std::vector<Timeline> timelines;  ///< of its loops, named as in the records; may be empty
};

/// Figures of single threads that a page holds at most, loops with the most time first [count]. A loop has those of all
/// ranks whose records have them, or none, and none if one with more time did not fit.
inline constexpr std::size_t kMaxThreadFigures = 250000;

/// The ranks of a run as one view, what the page shows and `gimbal report --json` prints. Units are in the keys; times
/// of a loop and of its schedules are means over the ranks, calls sums; `by_rank` has one list for each rank, its
/// fields named by `by_rank_fields`, and is empty where groups of ranks ran a loop, or records lack what each rank
/// took. `rank_balance` is null if that is more than 1 % of a rank's time in loops. Numbers have four significant
/// digits.
/// @errors std::bad_alloc  @threads any  @cost O(records * loops * workers)
[[nodiscard]] Json run_data(const Run& run);

}  // namespace gimbal::page
