// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace gimbal::tool {

/// Now, as file headers of traces count it: since 1970-01-01 UTC [ns].
[[nodiscard]] std::uint64_t wall_clock_ns() noexcept;

/// Write the traces of processes of this run that could not do so themselves, because they were killed or left by
/// _exit(), and say so on standard error. Processes that still run, or ran on other machines, are left alone.
/// @param pattern  GIMBAL_TRACE
/// @param since_ns  when the run began, since 1970 [ns]
/// @errors std::bad_alloc; what cannot be written is said
void write_left_traces(const std::string& pattern, std::uint64_t since_ns);

}  // namespace gimbal::tool
