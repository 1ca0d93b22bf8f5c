// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report_command.hpp"

#include <cstdio>

#include "base/read_file.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "report/compare.hpp"
#include "report/jobs.hpp"
#include "report/json.hpp"
#include "report/names.hpp"
#include "report/summary.hpp"
#include "trace_command.hpp"

namespace gimbal::tool {

namespace {

constexpr std::size_t kLargestRecord = std::size_t{1} << 28;  // [bytes]

std::vector<RunRecord> read_records(const std::vector<std::string>& paths) {
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
    return records;
}

}  // namespace

int report_files(const ReportRequest& request) {
    if (!request.trace.empty())
        return convert_traces({.format = request.trace, .files = request.files, .output = request.output});
    if (!request.output.empty())
        throw Error(ErrorCode::wrong_use, "report --to: only --trace writes a file", "the report goes to the terminal");
    const std::vector<RunRecord> records = read_records(request.files);
    const SortedRecords sorted = sort_by_run(records);
    for (const auto& [repeated, counted] : sorted.repeated)
        write_stderr("gimbal: note: " + request.files[repeated] + " holds the same process as " +
                     request.files[counted] + " and is left out\n");
    std::vector<std::vector<RunRecord>> runs;
    for (const std::vector<std::size_t>& run : sorted.runs) {
        std::vector<RunRecord>& members = runs.emplace_back();
        for (const std::size_t i : run) members.push_back(records[i]);
    }
    if (request.compare) {
        if (runs.size() < 2)
            throw Error(ErrorCode::wrong_use, "report --compare: all files are of one run, " + run_title(runs.front()),
                        "name the records of two or more: gimbal report --compare run-81234-*.json run-81235-*.json");
        std::fputs(compared_text(runs).c_str(), stdout);
        return 0;
    }
    const ReportLevel level = request.full ? ReportLevel::full : ReportLevel::summary;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::string text = merged_text(runs[i], level);
        if (runs.size() > 1)
            text = (i > 0 ? "\nrun " : "run ") + std::to_string(i + 1) + " of " + std::to_string(runs.size()) + ": " +
                   run_title(runs[i]) + "\n" + text;
        std::fputs(text.c_str(), stdout);
    }
    if (runs.size() > 1) std::fputs("\nTo see these runs side by side: gimbal report --compare\n", stdout);
    return 0;
}

}  // namespace gimbal::tool
