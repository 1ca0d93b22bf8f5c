// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gimbal::tool {

struct TraceRequest {
    std::string format;  ///< perfetto, json, otf2
    std::vector<std::string> files;
    std::string output;  ///< empty: beside the first file
};

/// `gimbal report --trace`: traces in another form, or traces of what killed processes recorded.
/// @return 0
/// @errors gimbal::Error: (wrong_use) an unknown form; (unsupported) this build lacks it; (file)
[[nodiscard]] int convert_traces(const TraceRequest& request);

}  // namespace gimbal::tool
