// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gimbal::tool {

/// Write traces for Perfetto as one file of Chrome's Trace Event Format: a JSON object with "traceEvents".
/// @errors gimbal::Error(file)
void write_trace_json(const std::vector<std::string>& traces, const std::string& output);

/// Write them as an OTF2 archive, for Vampir, Scalasca and otf2-print: a new folder with traces.otf2 in it.
/// @errors gimbal::Error(file)
void write_trace_otf2(const std::vector<std::string>& traces, const std::string& output);

/// Now, as file headers of traces count it: since 1970-01-01 UTC [ns].
[[nodiscard]] std::uint64_t wall_clock_ns() noexcept;

/// Write the traces of processes of this run that could not do so themselves, because they were killed or left by
/// _exit(), and say so on standard error. Processes that still run, or ran on other machines, are left alone.
/// @param pattern  GIMBAL_TRACE
/// @param since_ns  when the run began, since 1970 [ns]
/// @errors std::bad_alloc; what cannot be written is said
void write_left_traces(const std::string& pattern, std::uint64_t since_ns);

}  // namespace gimbal::tool
