// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "report/merge.hpp"

namespace gimbal {

/// "4 ranks" or "2 threads".
[[nodiscard]] std::string workers_text(const LoopSummary& loop);

/// "4 ranks" or "team of 2".
[[nodiscard]] std::string team_text(const LoopSummary& loop);

/// What ran most and why, for the table of loops: "fac2 (GIMBAL_SCHEDULE)"; if others ran too, with its share of the
/// calls, "gss 61/80 (sarsa)"; and the static fraction, "usched f_s=0.70 in search (...)".
/// @errors std::bad_alloc
[[nodiscard]] std::string technique_cell(const LoopSummary& loop);

/// One line on what was chosen, what exploring cost and what else there was, e.g. "  feedback 94 % (auto), exploring
/// 6 % cost 0.012 s (0.1 %); best other: guided, 2 % slower (predicted)".
/// @return empty if only one schedule ran and no other is known  @errors std::bad_alloc
[[nodiscard]] std::string choice_remark(const LoopSummary& loop);

/// The full report's part: every schedule of every loop, how often, why, and its mean time.
[[nodiscard]] std::string choice_tables(const MergedRun& run);

}  // namespace gimbal
