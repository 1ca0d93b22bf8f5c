// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "report/run_record.hpp"

namespace gimbal {

/// Gimbal's version, e.g. "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// The part of a record that describes the process itself: version, program, host, job, process, rank, ranks, seed
/// and the options that are not at their default. Loops, times and the OpenMP runtime are the caller's.
/// @errors std::bad_alloc  @threads any  @cost reads /proc/self/cmdline
[[nodiscard]] RunRecord describe_process();

}  // namespace gimbal
