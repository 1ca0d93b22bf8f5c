// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/run_record.hpp"

namespace gimbal {

/// A record with one loop "sph.cpp:210 density" of two threads: busy 3 s and 1 s in one of two executions each, so
/// max 3 s, mean 2 s; loop time 3 s of a run of 10 s.
[[nodiscard]] RunRecord sample_record(int rank = 0, int ranks = 1);

}  // namespace gimbal
