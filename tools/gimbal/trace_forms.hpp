// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gimbal::tool {

/// Write traces for Perfetto as one file of Chrome's Trace Event Format: a JSON object with "traceEvents".
/// @errors gimbal::Error(file)
void write_trace_json(const std::vector<std::string>& traces, const std::string& output);

/// Write them as an OTF2 archive, for Vampir, Scalasca and otf2-print: a new folder with traces.otf2 in it.
/// @errors gimbal::Error(file)
void write_trace_otf2(const std::vector<std::string>& traces, const std::string& output);

}  // namespace gimbal::tool
