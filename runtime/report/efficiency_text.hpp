// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>

#include "report/merge.hpp"

namespace gimbal {

/// The parts of parallel efficiency, and where ranks wait, for the report. @return empty: they are not known
/// @param all  every rank and every place  @errors std::bad_alloc  @threads any
[[nodiscard]] std::string efficiency_text(std::span<const RunRecord> records, const MergedRun& run, bool all);

}  // namespace gimbal
