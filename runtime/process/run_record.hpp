// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/run_record.hpp"

namespace gimbal {

/// Note which OpenMP runtime there is, for the records. @threads the background thread  @cost takes the loader's lock
void note_openmp();

/// Everything this process has to say so far; names not resolved yet.
/// @errors std::bad_alloc  @threads any  @cost milliseconds
[[nodiscard]] RunRecord current_record();

/// The sums of loops that it has so far, for a record that a killed process leaves; nobody waits for who asks.
/// @errors std::bad_alloc  @threads any  @cost as above, less where there are few loops
[[nodiscard]] RunRecord brief_record();

}  // namespace gimbal
