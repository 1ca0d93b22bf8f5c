// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace gimbal {

/// What became of the records of one process.
struct WrittenTrace {
    std::string path;           ///< of the trace
    std::uint64_t bytes = 0;    ///< in it
    std::uint64_t dropped = 0;  ///< records that were lost while the program ran, for want of room [count]
    std::uint64_t without = 0;  ///< threads that got no room at all [count]
};

/// Write what a process has recorded (trace/records_file.hpp) as a trace for Perfetto, and remove the records.
/// @param target  path of the trace; empty: the one that the records name
/// @param look_up_names  whether loops get file and line; not where that may not be done (ending_in_handler())
/// @errors gimbal::Error(file); the records are still there then
/// @threads one  @cost some 100 ns a record, and memory that does not grow with them
WrittenTrace write_trace(const std::string& records, const std::string& target = {}, bool look_up_names = true);

/// Sentence about what was lost; empty: nothing was. @param limit  what may be said to raise it
[[nodiscard]] std::string lost_text(const WrittenTrace& trace);

}  // namespace gimbal
