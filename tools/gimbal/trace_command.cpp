// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/nearest.hpp"
#include "clean_end.hpp"
#include "config/load.hpp"
#include "config/schedule_value.hpp"
#include "gimbal/error.hpp"
#include "gimbal/output_file.hpp"
#include "paths.hpp"
#include "report/files.hpp"
#include "report/trace_conversion.hpp"
#include "trace/records_file.hpp"
#include "traces.hpp"

namespace gimbal::tool {

namespace {

constexpr const char* kUsage = "name another file: gimbal report --trace FORM run-*.pftrace --to FILE";
constexpr std::array<std::string_view, 3> kForms = {"perfetto", "json", "otf2"};

/// The first trace's name with another ending. Not .json alone: the run's record often has that name.
std::string beside(const std::string& trace, const std::string& ending) {
    const std::size_t slash = trace.rfind('/');
    const std::size_t dot = trace.rfind('.');
    const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
    return trace.substr(0, has_ending ? dot : trace.size()) + ending;
}

/// What the records name as their trace, where no file is: that may be the trace of another run, or of a program that
/// ran in the same process before.
std::string target_of(const std::string& records) {
    const TraceFileHeader header = RecordsFile(records).header();
    const std::string named(header.target.data(), strnlen(header.target.data(), header.target.size()));
    return unlike_others(named, header.pid, [](const std::string& path) {
        std::error_code ignored;
        return is_stream(path) || !std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
    });
}

void write_records(const ReportRequest& request) {
    if (!request.output.empty() && request.files.size() > 1)
        throw Error(ErrorCode::wrong_use, "report --trace perfetto: several files and one --to",
                    "leave it out: each trace gets the name that the run gave it");
    for (const std::string& file : request.files) {
        check_keeps_input(request.output, file);
        check_replaces_own_kind("--to", request.output, kTraceFile, kUsage);
        const std::string output = request.output.empty() ? target_of(file) : request.output;
        const WrittenTrace written = [&] {
            const CleanEnd end(output);
            return write_trace(file, output, true, CleanEnd::check);
        }();
        for (const std::string& text : {damage_text(file, written), lost_text(written)})
            if (!text.empty()) write_stderr("gimbal: warning: " + text + "\n");
        std::printf("%s\n", written.path.c_str());
    }
}

}  // namespace

int convert_traces(const ReportRequest& request) {
    if (request.trace == "perfetto") {
        write_records(request);
        return 0;
    }
    const bool json = request.trace == "json";
    if (!json && request.trace != "otf2")
        throw Error(
            ErrorCode::wrong_use,
            "report --trace: unknown form \"" + request.trace + "\". " + did_you_mean(nearest(request.trace, kForms)),
            "allowed: perfetto json otf2");
#ifndef GIMBAL_HAVE_OTF2
    if (!json)
        throw Error(ErrorCode::unsupported, "report --trace otf2: this build of gimbal has no OTF2",
                    "it is built with it where libotf2-trace-dev is installed");
#endif
    const std::string output =
        !request.output.empty() ? request.output : beside(request.files.front(), json ? ".trace.json" : ".otf2");
    for (const std::string& file : request.files) check_keeps_input(output, file);
    if (json) check_replaces_own_kind("--to", output, kJsonTraceFile, kUsage);
#ifdef GIMBAL_HAVE_OTF2
    if (!json) write_trace_otf2(request.files, output);
#endif
    if (json) write_trace_json(request.files, output);
    std::printf("%s\n", (json ? output : output + "/traces.otf2").c_str());
    return 0;
}

}  // namespace gimbal::tool
