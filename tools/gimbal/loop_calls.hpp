// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gimbal::tool {

/// By which schedule a loop of the program starts, as its compiler has written it down.
enum class LoopSchedule : std::uint8_t { runtime, dynamic, guided, automatic, fixed, unknown, region };

/// A place where a program starts a loop, or a parallel region (`region`).
struct LoopCall {
    LoopSchedule schedule = LoopSchedule::unknown;
    std::uint64_t offset = 0;  ///< what Gimbal knows the loop by: an address from where the object is loaded [bytes]
    std::string place;         ///< "file:line function" if clang has written that down; Gimbal then knows it by this
};

/// What the machine code of an object calls of an OpenMP runtime.
struct LoopCalls {
    bool read = false;  ///< false: its code cannot be read: another machine than x86-64, or no object
    std::vector<LoopCall> calls;
};

/// Find them without running anything: calls that lead to a runtime's functions through the object's linkage tables,
/// and the constant that clang hands over as the schedule.
/// @errors std::bad_alloc  @cost O(size of the code)
[[nodiscard]] LoopCalls read_loop_calls(const std::string& path);

}  // namespace gimbal::tool
