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
#include "gimbal/process_stat.hpp"
#include "report/trace_conversion.hpp"
#include "trace/recorder.hpp"
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
    if (header.start_ns + kLater_ns < since_ns || !is_this_host(header.host.data())) return false;
    if (kill(header.pid, 0) != 0) return errno == ESRCH;  // EPERM: another user's, which lives
    return process_has_ended(header.pid);                 // nobody may have asked yet how it ended
}

/// @param device  that the trace must be for; empty: any
void write_one(const std::string& path, std::uint64_t since_ns, const std::string& device) {
    try {
        const TraceFileHeader header = RecordsFile(path).header();
        if (!device.empty() && device != header.target.data()) return;
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

/// The folders that a path with placeholders may mean.
std::vector<fs::path> folders_of(const fs::path& pattern) {
    std::vector<fs::path> folders = {pattern.is_absolute() ? pattern.root_path() : fs::path(".")};
    for (const fs::path& part : pattern.relative_path()) {
        const std::string name = part;
        const std::string start = name.substr(0, name.find('%'));
        std::vector<fs::path> inside;
        for (const fs::path& folder : folders) {
            if (start == name) {
                inside.push_back(folder / part);
                continue;
            }
            std::error_code ignored;
            for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
                if (entry.path().filename().string().starts_with(start) && entry.is_directory(ignored))
                    inside.push_back(entry.path());
        }
        folders = std::move(inside);
    }
    return folders;
}

}  // namespace

void write_left_traces(const std::string& pattern, std::uint64_t since_ns) {
    if (pattern.empty()) return;
    const fs::path whole(records_beside(pattern));
    const std::string name = whole.filename();
    std::string start = name.substr(0, name.find('%'));
    // Where ranks need a number and the pattern names none, it stands before the extension.
    start = start.substr(0, std::min(start.rfind('.'), start.size()));
    std::vector<std::string> left;
    std::error_code ignored;
    for (const fs::path& folder : folders_of(whole.parent_path()))
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
            if (is_of_pattern(entry.path().filename(), start)) left.push_back(entry.path());
    std::sort(left.begin(), left.end());
    // Beside a device there are none: those of all runs lie in one folder.
    const bool is_known = whole != pattern && pattern.find('%') == std::string::npos;
    const std::string device = is_known ? pattern : std::string();
    for (const std::string& path : left) write_one(path, since_ns, device);
}

}  // namespace gimbal::tool
