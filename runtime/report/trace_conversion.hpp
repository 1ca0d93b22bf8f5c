// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gimbal {

/// What became of the records of one process.
struct WrittenTrace {
    std::string path;           ///< of the trace
    std::uint64_t bytes = 0;    ///< in it
    std::uint64_t dropped = 0;  ///< records that were lost while the program ran, for want of room [count]
    std::uint64_t without = 0;  ///< threads that got no room at all [count]
    std::uint64_t damaged = 0;  ///< blocks of records that could not be read [count]
    bool cut = false;           ///< the end of the records is missing
};

/// Write what a process has recorded (trace/records_file.hpp) as a trace for Perfetto. The records stay: who
/// made them removes them.
/// @param target  path of the trace; empty: the one that the records name
/// @param look_up_names  whether loops get file and line; not where that may not be done (ending_in_handler())
/// @param now_and_then  called some thousand records after the last time; what it throws leaves nothing behind
/// @errors gimbal::Error(file); also where none of the records can be read, since they are damaged
/// @threads one  @cost some 100 ns a record, and memory that does not grow with them
WrittenTrace write_trace(const std::string& records, const std::string& target = {}, bool look_up_names = true,
                         const std::function<void()>& now_and_then = {});

/// Sentence about records that could not be read, since their file is damaged; empty: all could.
[[nodiscard]] std::string damage_text(const std::string& records, const WrittenTrace& trace);

/// Sentence about what was lost; empty: nothing was. @param limit  what may be said to raise it
[[nodiscard]] std::string lost_text(const WrittenTrace& trace);

}  // namespace gimbal
