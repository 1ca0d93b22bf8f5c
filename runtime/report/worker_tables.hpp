// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>

#include "report/merge.hpp"

namespace gimbal {

/// The full report's part: every worker of every loop; threads rank by rank.
/// @param records  by rank  @errors std::bad_alloc  @cost O(records * loops * workers)
[[nodiscard]] std::string worker_tables(std::span<const RunRecord> records, const MergedRun& run);

}  // namespace gimbal
