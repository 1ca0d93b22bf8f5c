// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/run_record.hpp"

namespace gimbal {

/// Records sorted by the run that they are of: one start of a program, on one rank or many.
struct SortedRecords {
    std::vector<std::vector<std::size_t>> runs;                 ///< indices; runs and indices in the order given
    std::vector<std::pair<std::size_t, std::size_t>> repeated;  ///< a record of a process that another tells of; which
};

/// Tell runs apart that a pattern of file names brings together. Records are of one run if the launcher says so, or the
/// job, the number of ranks and the program are the same and they ran at the same time; and a run has every rank once.
/// Children of fork(), which began when their parents did, belong to them. Of several records of one process that of
/// the longest time counts. docs/decisions/0019-job-identity.md says why.
/// @errors std::bad_alloc  @threads any  @cost O(records * (records + log records))
[[nodiscard]] SortedRecords sort_by_run(std::span<const RunRecord> records);

/// "job 81234, started 2026-01-31 12:00:00 UTC, 2 ranks, ./app input", for headings.
/// @param records  of one run, at least one
[[nodiscard]] std::string run_title(std::span<const RunRecord> records);

}  // namespace gimbal
