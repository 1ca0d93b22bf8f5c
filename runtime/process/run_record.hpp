// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/run_record.hpp"

namespace gimbal {

/// Everything this process has to say so far; names not resolved yet.
/// @errors std::bad_alloc  @threads any  @cost milliseconds
[[nodiscard]] RunRecord current_record();

}  // namespace gimbal
