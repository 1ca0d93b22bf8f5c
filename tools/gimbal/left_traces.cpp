// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traces.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/host_name.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "report/trace_conversion.hpp"
#include "trace/records_file.hpp"

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".records-";

/// "TRACE.records-1234-1767268800250000", where TRACE begins as the pattern does before its first placeholder.
bool is_of_pattern(const std::string& name, const std::string& start) {
    const std::size_t mark = name.rfind(kMark);
    return mark != std::string::npos && mark + kMark.size() < name.size() && name.starts_with(start) &&
           name.find_first_not_of("0123456789-", mark + kMark.size()) == std::string::npos;
}

bool is_of_dead_process(const TraceFileHeader& header, std::uint64_t since_ns) {
    // Of several launchers of one job the last one looks; it may have begun a little later than others.
    constexpr std::uint64_t kLater_ns = 5'000'000'000U;
    return header.start_ns + kLater_ns >= since_ns && is_this_host(header.host.data()) && kill(header.pid, 0) != 0 &&
           errno == ESRCH;  // EPERM: another user's, which lives
}

void write_one(const std::string& path, std::uint64_t since_ns) {
    try {
        const TraceFileHeader header = RecordsFile(path).header();
        if (header.refusal_said != 0 || !is_of_dead_process(header, since_ns)) return;
        const WrittenTrace written = write_trace(path);
        // Of a damaged file somebody may still want what is left.
        const std::string damage = damage_text(path, written), lost = lost_text(written);
        if (damage.empty()) unlink(path.c_str());
        write_stderr("gimbal: note: process " + std::to_string(header.pid) +
                     (header.ranks > 1 ? " (rank " + std::to_string(header.rank) + ")" : "") +
                     " ended early; what it recorded is in " + written.path + "\n" +
                     (damage.empty() ? "" : "gimbal: warning: " + damage + "\n") +
                     (lost.empty() ? "" : "gimbal: warning: " + lost + "\n"));
    } catch (const Error& error) {
        write_stderr(message_text(error, "warning"));
    }
}

}  // namespace

void write_left_traces(const std::string& pattern, std::uint64_t since_ns) {
    if (pattern.empty()) return;
    const fs::path whole(pattern);
    const std::string name = whole.filename();
    std::string start = name.substr(0, name.find('%'));
    // Where ranks need a number and the pattern names none, it stands before the extension.
    start = start.substr(0, std::min(start.rfind('.'), start.size()));
    std::vector<std::string> left;
    std::error_code ignored;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(whole.has_parent_path() ? whole.parent_path() : fs::path("."), ignored))
        if (is_of_pattern(entry.path().filename(), start)) left.push_back(entry.path());
    std::sort(left.begin(), left.end());
    for (const std::string& path : left) write_one(path, since_ns);
}

}  // namespace gimbal::tool
