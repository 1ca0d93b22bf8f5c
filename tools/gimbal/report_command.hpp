// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gimbal::tool {

struct ReportRequest {
    std::string trace;               ///< form of traces to write instead (trace_command.hpp); empty: none
    std::string output;              ///< where to
    std::vector<std::string> files;  ///< JSON records
    bool full = false;
    bool compare = false;            ///< runs side by side
    bool json = false;               ///< figures of the report, for programs
    std::string html;                ///< file for a page with charts; empty: none
    std::vector<std::string> steps;  ///< files of single steps, for the page; those that records name are found
};

/// Print one report for each run that the records in these files are of, compare the runs, or write a page.
/// @return 0
/// @errors gimbal::Error: (file) naming the file that cannot be read or written; (wrong_use) nothing to compare
[[nodiscard]] int report_files(const ReportRequest& request);

}  // namespace gimbal::tool
