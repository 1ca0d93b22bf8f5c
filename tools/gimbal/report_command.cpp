// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report_command.hpp"

#include <cstdio>

#include "config/file.hpp"
#include "gimbal/error.hpp"
#include "report/json.hpp"
#include "report/names.hpp"
#include "report/summary.hpp"

namespace gimbal::tool {

namespace {

constexpr std::size_t kLargestRecord = std::size_t{1} << 28;  // [bytes]

}  // namespace

int report_files(const std::vector<std::string>& paths, ReportLevel level) {
    std::vector<RunRecord> records;
    for (const std::string& path : paths) {
        const std::string text = read_file(path, kLargestRecord);
        try {
            records.push_back(from_json(text));
        } catch (const Error& error) {
            throw Error(error.code(), path + ": " + error.what(), error.hint());
        }
        resolve_names(records.back());
    }
    std::fputs(merged_text(records, level).c_str(), stdout);
    return 0;
}

}  // namespace gimbal::tool
