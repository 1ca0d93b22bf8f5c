// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/part_file.hpp"
#include "clean_end.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "info_command.hpp"
#include "page.hpp"
#include "paths.hpp"
#include "report/files.hpp"
#include "report/merge.hpp"
#include "report/names.hpp"
#include "report/run_record.hpp"
#include "report/summary.hpp"
#include "report/table.hpp"

extern "C" char** environ;

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = std::size_t{1} << 28;  // of a record, or of its steps [bytes]

std::vector<RunRecord> read_records(const std::vector<std::string>& paths) {
    std::vector<RunRecord> records;
    for (const std::string& path : paths) {
        const std::string text = read_file(path, kLargest);
        try {
            records.push_back(from_json(text));
        } catch (const Error& error) {
            const bool trace = text.substr(0, kMarkWithin).find(kTraceFile.mark) != std::string::npos;
            throw Error(error.code(), path + ": " + error.what(),
                        trace ? "it is a trace: open it in ui.perfetto.dev, or gimbal report --trace json|otf2 " + path
                              : error.hint());
        }
    }
    return records;
}

/// What the settings of a process call its file of steps. @return empty: it wrote none
fs::path steps_name(const RunRecord& record) {
    for (const Setting& use : record.options)
        if (use.name == "GIMBAL_RECORD") return expand_pattern(use.value, record);
    return {};
}

/// Where the steps of a process are, if it wrote them: beside its record, else where its setting says.
/// @return empty: it wrote none, or they are elsewhere
std::string steps_of(const RunRecord& record, const std::string& file) {
    const fs::path named = steps_name(record);
    if (named.empty()) return {};
    for (const fs::path& path : {fs::path(file).parent_path() / named, named}) {
        std::error_code ignored;
        if (fs::is_regular_file(path, ignored)) return path;
    }
    return {};
}

using Writers = std::vector<const RunRecord*>;  // records of processes that may have written a file of steps

/// Whose steps a file has that the user named: by its name; else anybody's of the run.
Writers writers_of(const fs::path& path, const std::vector<RunRecord>& records, const std::vector<std::size_t>& run) {
    Writers writers;
    for (const std::size_t i : run) {
        if (steps_name(records[i]).filename() == path.filename()) return {&records[i]};
        writers.push_back(&records[i]);
    }
    return writers;
}

/// What the report calls a loop of a file of steps.
std::string name_of(const page::Timeline& timeline, const Writers& writers) {
    for (const RunRecord* const writer : writers)
        for (const LoopSummary& loop : writer->loops)
            if (loop.workers == timeline.workers && loop.name_in_steps == timeline.loop) return loop.name;
    return timeline.loop;
}

void add_timelines(const std::string& path, const Writers& writers, std::vector<page::Timeline>& timelines) {
    const int rank = writers.size() == 1 ? writers.front()->rank : -1;
    try {
        for (page::Timeline& timeline : page::timelines_of(read_file(path, kLargest), rank)) {
            timeline.loop = name_of(timeline, writers);
            const bool known = std::any_of(timelines.begin(), timelines.end(), [&](const page::Timeline& other) {
                return other.loop == timeline.loop && other.workers == timeline.workers;
            });
            if (!known) timelines.push_back(std::move(timeline));
        }
    } catch (const Error& error) {
        throw Error(error.code(), path + ": " + error.what(), error.hint());
    }
}

/// Steps of the first rank that has some, loop by loop: those that were asked for, else those that the records name.
/// @param records  of all files of the request   @param run  those that are of one run
std::vector<page::Timeline> find_timelines(const ReportRequest& request, const std::vector<RunRecord>& records,
                                           const std::vector<std::size_t>& run) {
    std::vector<page::Timeline> timelines;
    for (const std::string& path : request.steps) add_timelines(path, writers_of(path, records, run), timelines);
    if (!request.steps.empty()) return timelines;
    std::set<std::string> seen;
    for (const std::size_t i : run) {
        const std::string path = steps_of(records[i], request.files[i]);
        check_keeps_input(request.html, path);
        if (!path.empty() && seen.insert(path).second) add_timelines(path, {&records[i]}, timelines);
    }
    return timelines;
}

std::vector<page::Run> read_runs(const ReportRequest& request) {
    std::vector<RunRecord> records = read_records(request.files);
    const SortedRecords sorted = sort_by_run(records);
    resolve_names(records, sorted.runs);
    for (const auto& [repeated, counted] : sorted.repeated)
        write_stderr("gimbal: note: " + request.files[repeated] + " holds the same process as " +
                     request.files[counted] + " and is left out\n");
    if (sorted.runs.size() > 1 && !request.steps.empty())
        throw Error(ErrorCode::wrong_use, "report --steps: the records are of several runs, the steps of one",
                    "leave --steps out: those that records name are found; or make a page for each run");
    std::vector<page::Run> runs;
    for (const std::vector<std::size_t>& members : sorted.runs) {
        page::Run& run = runs.emplace_back();
        for (const std::size_t i : members) run.records.push_back(records[i]);
        if (request.json || !request.html.empty()) run.timelines = find_timelines(request, records, members);
    }
    return runs;
}

std::string text_of(const std::vector<page::Run>& runs, ReportLevel level, std::size_t width) {
    std::string all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs.size() > 1)
            all += (i > 0 ? "\nrun " : "run ") + std::to_string(i + 1) + " of " + std::to_string(runs.size()) + ": " +
                   run_title(runs[i].records) + "\n";
        all += merged_text(runs[i].records, level, width);
    }
    return all;
}

int compare(const std::vector<page::Run>& runs) {
    if (runs.size() < 2)
        throw Error(ErrorCode::wrong_use,
                    "report --compare: all files are of one run, " + run_title(runs.front().records),
                    "name the records of two or more: gimbal report --compare run-81234-*.json run-81235-*.json");
    std::vector<std::vector<RunRecord>> records;
    for (const page::Run& run : runs) records.push_back(run.records);
    return print_text(compared_text(records));
}

int print_runs(const std::vector<page::Run>& runs) {
    Json list = Json::array();
    for (const page::Run& run : runs) list.push_back(page::run_data(run));
    return print_json({{"schema_version", 1}, {"runs", std::move(list)}});
}

}  // namespace

int report_files(const ReportRequest& request) {
    if (!request.trace.empty()) return convert_traces(request);
    if (!request.output.empty())
        throw Error(ErrorCode::wrong_use, "report --to: only --trace writes a file", "the report goes to the terminal");
    for (const std::vector<std::string>* const inputs : {&request.files, &request.steps})
        for (const std::string& input : *inputs) check_keeps_input(request.html, input);
    if (!request.html.empty())
        check_replaces_own_kind("--html", request.html, kPageFile,
                                "name the page before the records: gimbal report --html PAGE.html run-*.json");
    const std::vector<page::Run> runs = read_runs(request);
    if (request.compare) return compare(runs);
    if (!request.html.empty()) {
        const std::string text = page::html_page(runs, text_of(runs, ReportLevel::summary, 0));
        const CleanEnd end(request.html);
        write_file_aside(request.html, text);
        return 0;
    }
    if (request.json) return print_runs(runs);
    const std::size_t width = output_width(read_environment(environ).columns, STDOUT_FILENO);
    print_text(text_of(runs, request.full ? ReportLevel::full : ReportLevel::summary, width));
    if (runs.size() > 1) print_text("\nTo see these runs side by side: gimbal report --compare\n");
    return 0;
}

}  // namespace gimbal::tool
