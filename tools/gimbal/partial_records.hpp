// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "launch.hpp"
#include "report/run_record.hpp"
#include "run_command.hpp"

namespace gimbal::tool {

/// Say in records that their processes could not complete how these ended, as far as the tool can know: of the process
/// that it started itself for certain; of ranks, and of what a shell started, from how their launcher ended. Waits up
/// to a second for processes that outlive the launcher. What libomp has left of them in /dev/shm is removed.
void explain_partial(const RunRequest& request, const ProgramEnd& end, std::vector<RunRecord>& records);

/// What is said above a report that could not wait for the program's end.
[[nodiscard]] std::string overdue_text(const RunRequest& request, const ProgramEnd& so_far);

}  // namespace gimbal::tool
