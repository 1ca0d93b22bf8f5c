// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/merge.hpp"
#include "report/run_record.hpp"

#include <cstddef>
#include <cstdint>
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

/// "4 ranks" or "2 threads".
[[nodiscard]] std::string workers_text(const LoopSummary& loop);

/// "4 ranks" or "team of 2".
[[nodiscard]] std::string team_text(const LoopSummary& loop);

/// What ran most and why, for the table of loops: "fac2 (GIMBAL_SCHEDULE)"; if others ran too, in how many calls,
/// "gss (sarsa, 61 of 80 calls)"; and the static fraction, "usched f_s=0.70 in search (...)".
/// @errors std::bad_alloc
[[nodiscard]] std::string technique_cell(const LoopSummary& loop);

/// One line on what was chosen, what exploring cost and what else there was, e.g. "  feedback 94 % (auto), exploring
/// 6 % cost 0.012 s (0.1 % of the time); best other: guided, 2.0 % slower (predicted)".
/// @param ranks  whose times it adds up [count]
/// @return empty if only one schedule ran and no other is known  @errors std::bad_alloc
[[nodiscard]] std::string choice_remark(const LoopSummary& loop, std::uint32_t ranks = 1);

/// The full report's part: every schedule of every loop, how often, why, and its mean time.
[[nodiscard]] std::string choice_tables(const MergedRun& run);

/// One line on what was stolen, e.g. "  stolen: 412 of 8000 items in 40 of 52 attempts, 1.20 MB moved, ratio 0.3".
/// @pre loop.steals  @errors std::bad_alloc
[[nodiscard]] std::string steal_remark(const LoopSummary& loop);

/// One line on executions that ran at the same time, so that their sum is more than the run lasted.
/// @return empty: it is not more  @errors std::bad_alloc
[[nodiscard]] std::string overlap_remark(const MergedLoop& loop);

/// The full report's part: every worker of every loop; threads rank by rank.
/// @param records  by rank  @errors std::bad_alloc  @cost O(records * loops * workers)
[[nodiscard]] std::string worker_tables(std::span<const RunRecord> records, const MergedRun& run);

/// Loop time over ranks for the table of loops: smallest, mean and largest; "-" for what does not compare.
/// @errors std::bad_alloc
[[nodiscard]] std::vector<std::string> times_over_ranks(const MergedLoop& loop);

/// The line on rank balance. @return empty: there is one rank, or no loop, or it is not known
/// @errors std::bad_alloc
[[nodiscard]] std::string rank_balance_line(const MergedRun& run);

/// The parts of parallel efficiency, and where ranks wait, for the report. @return empty: they are not known
/// @param all  every rank and every place  @errors std::bad_alloc  @threads any
[[nodiscard]] std::string efficiency_text(std::span<const RunRecord> records, const MergedRun& run, bool all);

/// Who wrote no record at the end, why, and how far the figures go, in lines that begin with WARN.
/// @param records  by rank  @param ranks  of the job [count]  @errors std::bad_alloc
[[nodiscard]] std::string partial_lines(std::span<const RunRecord> records, std::uint32_t ranks);
/// The loops that threads were in when a record was written, likewise.
[[nodiscard]] std::string unfinished_lines(std::span<const RunRecord> records, std::uint32_t ranks);
/// What a report from one process of many cannot show, and how to see it; of merged records, who left none.
/// @param own  of one process at its own end
[[nodiscard]] std::string missing_ranks(std::span<const RunRecord> records, const MergedRun& run, bool own);
/// A line on why there is no table of loops. @return empty: what stands there instead is placement
[[nodiscard]] std::string why_no_loops(std::span<const RunRecord> records);
/// All of these, line by line, without WARN and line feed: for the page and comparisons.
/// @param records  by rank, merged in `run`  @errors std::bad_alloc
[[nodiscard]] std::vector<std::string> lacking(std::span<const RunRecord> records, const MergedRun& run);

/// What a user can do about the loops of a run: for the loops that lose most, how much and by what (waiting for the
/// slowest, late threads, drawing chunks, entry and exit), and what to try. Only what was measured or predicted for the
/// loop is advised. Losses under 1 % of the run are not worth a line; if there is no other, one line sums up all loops.
/// @return at most three lines without line feed; none if no loop ran
/// @errors std::bad_alloc  @threads any  @cost O(loops log loops)
[[nodiscard]] std::vector<std::string> notes(const MergedRun& run);

}  // namespace gimbal
