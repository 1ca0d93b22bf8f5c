// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "config/load.hpp"

namespace gimbal::tool {

/// This tool as one rank of several that a launcher started on this machine (`mpirun -n 4 gimbal run -- app`): all of
/// them collect in one folder, and the last one to end speaks for all.
class LaunchedJob {
public:
    /// Finds the others by the process that started all of them. Does nothing where this is no rank of several, or
    /// where no folder can be shared; then there is no folder().
    LaunchedJob(const Environment& environment, bool starts_ranks_itself);
    ~LaunchedJob();
    LaunchedJob(const LaunchedJob&) = delete;
    LaunchedJob& operator=(const LaunchedJob&) = delete;

    /// For the records of all; empty: none is shared.
    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

    /// To be called where the program still runs kOverdue_s after a signal that asks it to end, which mostly comes to
    /// all ranks at once.
    /// @return whether this one is to report for all so far: none has in the last kOverdue_s
    [[nodiscard]] bool is_first_overdue();

    /// To be called once the program has ended and its record is there. Others that have not begun yet, or have died,
    /// are waited for a few seconds.
    /// @return whether this one is to report for all, and to remove the folder
    [[nodiscard]] bool is_last();

private:
    [[nodiscard]] int count(const std::string& prefix) const;
    /// Whether others are in this run, or may still come to it.
    [[nodiscard]] bool others_run() const;
    [[nodiscard]] bool others_run_in(const std::string& folder) const;

    std::string folder_;
    std::vector<std::string> earlier_;  // of runs of this launcher that others may still be in
    int rank_ = 0;
    int expected_ = 1;  // ranks of this machine
    int member_ = -1;   // file that is locked as long as this process lives
};

}  // namespace gimbal::tool
