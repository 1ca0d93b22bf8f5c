// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "report/run_record.hpp"

namespace gimbal {

/// One line on what was stolen, e.g. "  stolen: 412 of 8000 items in 40 of 52 attempts, 1.20 MB moved, ratio 0.3".
/// @pre loop.steals  @errors std::bad_alloc
[[nodiscard]] std::string steal_remark(const LoopSummary& loop);

}  // namespace gimbal
