// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "gimbal/options.hpp"

namespace gimbal::tool {

/// Print one report for the JSON records in these files.
/// @return 0
/// @errors gimbal::Error(file) naming the file that cannot be read
[[nodiscard]] int report_files(const std::vector<std::string>& paths, ReportLevel level);

}  // namespace gimbal::tool
