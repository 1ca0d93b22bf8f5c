// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "config/environment.hpp"

namespace gimbal::tool {

/// What `gimbal run` was asked to do.
struct RunRequest {
    int ranks = 0;                     ///< 0: no MPI launcher
    int threads = 0;                   ///< 0: leave OMP_NUM_THREADS alone
    std::string mpiexec;               ///< launcher and its arguments, blanks between words; empty: find one
    std::vector<Setting> overrides;    ///< from the command line
    std::vector<std::string> command;  ///< program and arguments, at least the program
};

/// Check everything that can be known before the start, run the program under the patched runtime, and report.
/// @return the program's exit status, 128 + signal if a signal ended it; 2: refused; 126, 127: cannot be started
/// @errors gimbal::Error(file) if there is no place for records
[[nodiscard]] int run(const RunRequest& request);

}  // namespace gimbal::tool
