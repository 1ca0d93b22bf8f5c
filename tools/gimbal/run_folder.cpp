// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_folder.hpp"

#include "base/host_name.hpp"
#include "base/part_file.hpp"
#include "gimbal/error.hpp"
#include "gimbal/process_stat.hpp"
#include "preflight.hpp"
#include "report/files.hpp"
#include "report/names.hpp"
#include "report/run_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSeparators = " :";                     // of LD_PRELOAD
constexpr std::size_t kLargestRecord = std::size_t{1} << 28;  // [bytes]

bool ran_loops(const RunRecord& record) {
    return !record.loops.empty() || !record.unfinished.empty();
}

/// A program of MPI: what else runs in a rank, a shell for instance, tells nothing of the ranks.
bool tells_of_mpi(const RunRecord& record) {
    return record.waiting || record.mpi > MpiHere::none;
}

/// Of each rank: the processes that ran loops, were placed or have MPI; if there is none, the one that
/// asked most of OpenMP, and of these the one that lived longest.
std::vector<RunRecord> telling(std::vector<RunRecord> records) {
    std::sort(records.begin(), records.end(), [](const RunRecord& a, const RunRecord& b) {
        if (a.rank != b.rank) return a.rank < b.rank;
        if (ran_loops(a) != ran_loops(b)) return ran_loops(a);
        if (ran_loops(a)) return a.pid != b.pid ? a.pid < b.pid : a.started_s < b.started_s;
        if (tells_of_mpi(a) != tells_of_mpi(b)) return tells_of_mpi(a);
        return a.openmp_use != b.openmp_use ? a.openmp_use > b.openmp_use : a.wall_s > b.wall_s;
    });
    std::vector<RunRecord> kept;
    for (RunRecord& record : records)
        if (kept.empty() || kept.back().rank != record.rank || ran_loops(record) || !record.placement.empty() ||
            tells_of_mpi(record))
            kept.push_back(std::move(record));
    return kept;
}

constexpr const char* kBecameAnother = "by exec() it became another program";

/// One process, one program after the other: each of them but the last one was replaced.
void explain_replaced(std::vector<RunRecord>& records) {
    const auto replaces = [](const RunRecord& later, const RunRecord& one) {
        return later.pid == one.pid && later.host == one.host && later.started_s > one.started_s;
    };
    for (RunRecord& record : records)
        if (!record.partial.empty() && record.started_s > 0 &&
            std::any_of(records.begin(), records.end(),
                        [&](const RunRecord& other) { return replaces(other, record); }))
            record.partial = kBecameAnother;
}

}  // namespace

RunFolder::RunFolder(const std::string& shared) : path_(shared) {
    if (!shared.empty()) return;
    const char* const base = std::getenv("TMPDIR");
    // Whole: the program, or a script before it, may go to another folder.
    path_ = fs::absolute(base && *base ? base : "/tmp") / "gimbal-run-XXXXXX";
    if (!mkdtemp(path_.data()))
        throw Error(ErrorCode::file, "cannot make a folder for records, " + path_ + ": " + std::strerror(errno),
                    "set TMPDIR to a folder that can be written");
}

RunFolder::~RunFolder() {
    if (kept_) return;
    std::error_code failure;
    // Who looks for a folder to join must not find half of one.
    const std::string ended = path_ + "-ended";
    fs::rename(path_, ended, failure);
    fs::remove_all(failure ? path_ : ended, failure);
}

std::string RunFolder::preloadable(const std::string& library) const {
    if (library.find_first_of(kSeparators) == std::string::npos) return library;
    if (path_.find_first_of(kSeparators) != std::string::npos)
        throw Error(ErrorCode::file, "neither \"" + library + "\" nor \"" + path_ + "\" can be named in LD_PRELOAD",
                    "a path with a blank or a colon cannot; set TMPDIR to a folder without one");
    // A link to the folder: the library looks for what it needs beside itself.
    const fs::path real(library), link = fs::path(path_) / ("of-" + real.stem().string());
    std::error_code failure;
    fs::create_directory_symlink(real.parent_path(), link, failure);
    if (failure && !fs::is_symlink(link))
        throw Error(ErrorCode::file, "cannot make " + link.string() + ": " + failure.message(), "");
    return link / real.filename();
}

std::string preloadable(const std::string& library, std::optional<RunFolder>& folder) {
    if (!folder && library.find_first_of(kSeparators) != std::string::npos) folder.emplace();
    return folder ? folder->preloadable(library) : library;
}

std::vector<RunRecord> RunFolder::records(std::vector<std::string>& problems) const {
    std::vector<RunRecord> records;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("record-") || !name.ends_with(".json")) continue;
        try {
            records.push_back(from_json(read_file(entry.path(), kLargestRecord)));
        } catch (const Error& error) {
            problems.push_back(name + ": " + error.what());
        }
    }
    resolve_names(records);
    explain_replaced(records);
    return telling(std::move(records));
}

std::string RunFolder::refusal() const {
    constexpr std::size_t kUsualRecord = 16384;  // [bytes]
    try {
        write_file_aside(path_ + "/trial", std::string(kUsualRecord, ' '));
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

namespace {

/// "SIGTERM (Terminated)"
std::string signal_text(int signal) {
    const char* const name = sigabbrev_np(signal);
    return (name ? "SIG" + std::string(name) : "signal " + std::to_string(signal)) + " (" + strsignal(signal) + ")";
}

/// Slurm says when the job's time is over; it asks to end then.
bool at_time_limit() {
    constexpr long kEarly_s = 2;  // clocks of two machines
    const char* const text = std::getenv("SLURM_JOB_END_TIME");
    if (!text) return false;
    long limit = 0;
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, limit);
    return error == std::errc() && stop == end && limit > 0 && std::time(nullptr) >= limit - kEarly_s;
}

bool is_alive(const RunRecord& record) {
    return is_this_host(record.host) && !process_has_ended(record.pid);
}

/// A launcher that ends its ranks does not wait for them.
void wait_for_last_ones(const std::vector<RunRecord>& records) {
    constexpr std::chrono::milliseconds kLook(5), kPatience(1000);
    const auto until = std::chrono::steady_clock::now() + kPatience;
    const auto dies = [](const RunRecord& record) {
        return !record.partial.empty() && record.partial != kBecameAnother && is_alive(record);
    };
    while (std::any_of(records.begin(), records.end(), dies) && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(kLook);
}

std::string launcher_name(const RunRequest& request) {
    return launcher_words(request.mpiexec).front();
}

std::string how_it_ended(const RunRequest& request, const ProgramEnd& end, const RunRecord& record) {
    const bool own = record.pid == end.pid;
    if (is_alive(record) || (end.running && (own || !is_this_host(record.host)))) return "the process is still running";
    if (own) {
        if (end.killed_by) return "killed by " + signal_text(end.killed_by);
        return "it left by _exit() or exec(), or could not write its last record; status " + std::to_string(end.status);
    }
    std::string text = request.ranks > 0
                           ? "it was killed, perhaps by the launcher since another rank had ended, left by _exit() or "
                             "exec(), or could not write its last record"
                           : "it was killed, left by _exit() or exec(), or could not write its last record";
    if (end.running) return text;
    text += "; ";
    text += request.ranks > 0 ? launcher_name(request) : request.command.front();
    if (end.killed_by) return text + " was killed by " + signal_text(end.killed_by);
    // As shells and launchers have it.
    if (end.status > 128 && sigabbrev_np(end.status - 128)) return text + " says: by " + signal_text(end.status - 128);
    return text + " ended with status " + std::to_string(end.status);
}

}  // namespace

std::string overdue_text(const RunRequest& request, const ProgramEnd& so_far) {
    return "gimbal: note: " + request.command.front() + " still runs " + std::to_string(kOverdue_s) + " s after " +
           signal_text(so_far.asked_to_end).substr(0, signal_text(so_far.asked_to_end).find(' ')) +
           "; this is the report so far\n";
}

void explain_partial(const RunRequest& request, const ProgramEnd& end, std::vector<RunRecord>& records) {
    std::string asked;
    if (end.asked_to_end)
        asked = ", after " + signal_text(end.asked_to_end) + " came to gimbal run" +
                (at_time_limit() ? " at the job's time limit" : "");
    if (!end.running) wait_for_last_ones(records);
    for (RunRecord& record : records) {
        if (record.partial.empty() || record.partial == kBecameAnother) continue;
        record.partial = how_it_ended(request, end, record) + asked;
    }
}

}  // namespace gimbal::tool
