// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.hpp"
#include "launch.hpp"
#include "report/run_record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gimbal::tool {

/// Refuse a run whose files cannot be written, would replace what the run reads or each other, or cannot be replayed.
/// @errors gimbal::Error(file), (wrong_use)
void check_files(const Environment& environment, const RunRequest& request, const Options& options);

/// The settings that name files relative to this folder, with whole paths: a script may leave the folder before the
/// program starts. @return variables for the program
[[nodiscard]] Variables whole_paths(const Environment& environment, const RunRequest& request, const Options& options);

/// The records that processes wrote where GIMBAL_OUTPUT says because the run's own folder had no room.
/// @param process   number of the one that was started
/// @param since_ns  begin of the run; older files, and processes, are another run's [ns of the wall clock]
/// @param launch    what the records of this run call it; empty: not known
[[nodiscard]] std::vector<RunRecord> output_records(const Environment& environment, const RunRequest& request,
                                                    const std::string& pattern, int process, std::uint64_t since_ns,
                                                    const std::string& launch);

/// Write each record where GIMBAL_OUTPUT says: into a file of its own, into a device or a pipe all of them, one after
/// the other. What cannot be written is said.
void write_outputs(const std::string& pattern, const std::vector<RunRecord>& records);

}  // namespace gimbal::tool
