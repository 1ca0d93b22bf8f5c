// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/host_name.hpp"
#include "base/part_file.hpp"
#include "base/spelling.hpp"
#include "config/load.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "gimbal/output_file.hpp"
#include "paths.hpp"
#include "report/files.hpp"
#include "report/names.hpp"
#include "select/recording.hpp"

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

/// A setting and the path that it names.
struct NamedFile {
    std::string option;  // as the user gave it: the flag, or the variable
    std::string path;
    const FileKind* kind = nullptr;  // of what is written there; nullptr: what is there is read first, or added to
};

NamedFile named_file(const Options& options, const char* name, const std::string& path,
                     const FileKind* kind = nullptr) {
    return {given_as(options, name), path, kind};
}

std::vector<NamedFile> written_files(const Options& options) {
    std::vector<NamedFile> files = {
        named_file(options, "GIMBAL_OUTPUT", options.output, &kRecordFile),
        named_file(options, "GIMBAL_TRACE", options.trace, &kTraceFile),
        named_file(options, "GIMBAL_PIN_TRACE", options.pin.trace, &kPlacementFile),
        named_file(options, "GIMBAL_RECORD", options.select.record, &kStepsFile),
        named_file(options, "GIMBAL_LOOP_STATS", options.loop_stats),
        named_file(options, "GIMBAL_RL_AGENT_STATS", options.select.agent_stats, &kStepsFile)};
    if (options.select_ranks.agent_stats != options.select.agent_stats)
        files.push_back({"LB4MPI_RL_AGENT_STATS", options.select_ranks.agent_stats, &kStepsFile});
    std::erase_if(files, [](const NamedFile& file) { return file.path.empty(); });
    return files;
}

/// One of the processes to come, as far as names of files go by it.
RunRecord process_of(const Environment& environment, const RunRequest& request, int rank) {
    RunRecord process;
    process.rank = rank;
    process.ranks = std::max(request.ranks, environment.ranks);
    process.job = environment.job;
    return process;
}

void check_writable(const NamedFile& file) {
    const auto& [option, pattern, kind] = file;
    std::error_code ignored;
    if (pattern.back() == '/' || fs::is_directory(fs::symlink_status(pattern, ignored)))
        throw Error(ErrorCode::file, option + ": \"" + pattern + "\" is a folder",
                    "name a file in it, for example " + (fs::path(pattern) / "run-%j-%r.json").string());
    std::string folder = fs::path(pattern).parent_path();
    // A placeholder in the folder's name cannot be judged before the run.
    if (folder.find('%') != std::string::npos || is_stream(pattern)) return;
    if (const std::string why = output_refusal(pattern); !why.empty())
        throw Error(ErrorCode::file, option + ": cannot write \"" + pattern + "\": " + why, "give another path");
    if (folder.empty()) folder = fs::current_path(ignored);
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(ErrorCode::file, option + ": cannot write into \"" + folder + "\": " + std::strerror(errno),
                    "make the folder, or give another path");
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return fs::absolute(a, ignored).lexically_normal() == fs::absolute(b, ignored).lexically_normal() ||
           fs::equivalent(a, b, ignored);
}

/// Refuse names under which a file lies that the run reads, or that is of another kind, and two that are one.
void check_replaces_nothing(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read,
                            const RunRecord& process) {
    for (std::size_t i = 0; i < written.size(); ++i) {
        const std::string path = expand_pattern(written[i].path, process);
        if (is_stream(path)) continue;
        const std::string what = written[i].option + ": \"" + path + "\" is also the file of ";
        for (std::size_t k = 0; k < i; ++k)
            if (same_file(path, expand_pattern(written[k].path, process)))
                throw Error(ErrorCode::wrong_use, what + written[k].option, "each needs a file of its own");
        for (const NamedFile& input : read)
            if (!input.path.empty() &&
                (same_file(path, input.path) || same_file(path, expand_pattern(input.path, process))))
                throw Error(ErrorCode::wrong_use, what + input.option + ", and would replace it",
                            "name another file to write");
        if (written[i].kind)
            check_replaces_own_kind(written[i].option, path, *written[i].kind, "name another file to write");
    }
}

/// The record that each rank follows is read here, before any of them finds that it cannot.
void check_replay(const Environment& environment, const RunRequest& request, const NamedFile& replay) {
    const std::string& pattern = replay.path;
    const auto names = [&](const char* letters) { return pattern.find(letters) != std::string::npos; };
    if (pattern.empty() || names("%p") || names("%j") || names("%h")) return;
    const auto there = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
    const std::string first = expand_pattern(pattern, process_of(environment, request, 0));
    std::set<std::string> paths = {there(first) || !there(pattern) ? first : pattern};
    std::string without;
    for (int rank = 1; rank < std::max(request.ranks, environment.ranks); ++rank) {
        const std::string own = expand_pattern(pattern, process_of(environment, request, rank));
        if (there(own))
            paths.insert(own);
        else if (!there(pattern))
            without += " " + std::to_string(rank);
    }
    for (const std::string& path : paths) {
        try {
            (void)Recording::read(path);
        } catch (const Error& error) {
            throw Error(error.code(), replay.option + ": \"" + path + "\" cannot be replayed: " + error.what(),
                        "it must be a file that GIMBAL_RECORD wrote");
        }
    }
    if (!without.empty() && environment.rank == 0)
        write_stderr("gimbal: note: " + replay.option + ": these ranks have no file of their own and follow \"" +
                     first + "\":" + without + "\n");
}

/// A folder that the command names, and that nothing can be kept in, is said before the run, as of all files. It is
/// made where something is kept in it, and only itself, not the folders around it. One that a variable names is for
/// many runs, of which this one may keep nothing: the report says it.
void check_cache(const NamedFile& cache) {
    const std::string& path = cache.path;
    if (path.empty() || to_lower(path) == "off" || !cache.option.starts_with("--")) return;
    int reason = 0;
    struct stat there {};
    if (stat(path.c_str(), &there) == 0) {
        if (!S_ISDIR(there.st_mode))
            reason = ENOTDIR;
        else if (access(path.c_str(), W_OK | X_OK) != 0)
            reason = errno;
    } else if (mkdir(path.c_str(), S_IRWXU) == 0) {
        rmdir(path.c_str());
    } else if (errno != EEXIST) {  // another rank looks, too
        reason = errno;
    }
    if (reason != 0)
        throw Error(ErrorCode::file,
                    cache.option + ": nothing can be kept in \"" + path + "\": " + std::strerror(reason),
                    "name a folder, or one that can be made in a folder that is there; or off");
}

void write_output(const std::string& path, const std::string& text) {
    try {
        write_file_aside(path, text);
    } catch (const Error& error) {
        write_stderr(message_text(error, "error"));
    }
}

}  // namespace

void check_files(const Environment& environment, const RunRequest& request, const Options& options) {
    check_cache(named_file(options, "GIMBAL_CACHE", options.cache));
    const std::vector<NamedFile> written = written_files(options);
    for (const NamedFile& file : written) check_writable(file);
    const std::string program = find_program(request.command.front()).path;
    check_replaces_nothing(written,
                           {{"the program", program},
                            named_file(options, "GIMBAL_CONFIG", options.config),
                            named_file(options, "GIMBAL_REPLAY", options.select.replay)},
                           process_of(environment, request, environment.rank));
    if (options.strict) check_replay(environment, request, named_file(options, "GIMBAL_REPLAY", options.select.replay));
}

Variables whole_paths(const Environment& environment, const RunRequest& request, const Options& options) {
    std::vector<Setting> settings = environment.settings;
    // Of a settings file only what counts, as the variables are stronger.
    for (std::size_t row = 0; row < options.effective.size(); ++row)
        if (options.effective[row].origin.starts_with("file ") && !differs_for_ranks(options, row))
            settings.push_back(options.effective[row]);
    settings.insert(settings.end(), request.overrides.begin(), request.overrides.end());
    std::error_code failure;
    const std::string here = fs::current_path(failure);
    if (failure) return {};
    std::string escaped;
    for (const char c : here) escaped.append(c == '%' ? 2 : 1, c);
    Variables variables;
    for (const Setting& setting : settings) {
        const OptionSpec* const spec = find_option(setting.name);
        if (!spec || (spec->type != OptionType::path && spec->type != OptionType::pattern)) continue;
        const std::string path(technique::trimmed(setting.value));
        if (path.empty() || path[0] == '/' || (spec->name == "GIMBAL_CACHE" && to_lower(path) == "off")) continue;
        const std::string name(setting.origin == "environment" ? std::string_view(setting.name) : spec->name);
        variables.emplace_back(name, (spec->type == OptionType::pattern ? escaped : here) + "/" + path);
    }
    return variables;
}

std::vector<RunRecord> output_records(const Environment& environment, const RunRequest& request,
                                      const std::string& pattern, int process, std::uint64_t since_ns,
                                      const std::string& launch) {
    constexpr std::uint64_t kCoarse_ns = 20'000'000;  // by which a file's time, or another node's, may lag
    constexpr std::size_t kLargest = std::size_t{1} << 28;
    const std::string host = host_name();
    std::vector<RunRecord> records;
    for (int rank = 0; rank < std::max(request.ranks, environment.ranks); ++rank) {
        RunRecord like = process_of(environment, request, rank);
        like.pid = process;
        like.host = host;
        if (like.job.empty()) like.job = std::to_string(getpid());
        const std::string path = expand_pattern(pattern, like);
        struct stat there {};
        if (stat(path.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) continue;
        const auto written_ns = static_cast<std::uint64_t>(there.st_mtim.tv_sec) * 1'000'000'000U +
                                static_cast<std::uint64_t>(there.st_mtim.tv_nsec);
        if (written_ns + kCoarse_ns < since_ns) continue;
        try {
            RunRecord record = from_json(read_file(path, kLargest));
            // A rank that dies leaves the file of the run before, which may have been written a moment ago.
            const double slack_ns = record.host == host ? 0 : kCoarse_ns;
            const bool earlier =
                record.started_s > 0 && record.started_s * 1e9 + slack_ns < static_cast<double>(since_ns);
            if (!earlier && (launch.empty() || record.launch == launch)) records.push_back(std::move(record));
        } catch (const Error& error) {
            write_stderr("gimbal: warning: " + path + ": " + error.what() + "\n");
        }
    }
    resolve_names(records);
    return records;
}

void write_outputs(const std::string& pattern, const std::vector<RunRecord>& records) {
    std::set<std::string> written;
    std::string in_turn;  // a reader of a pipe may leave when it is closed: it is opened once
    for (const RunRecord& record : records) {
        if (is_stream(pattern)) {
            in_turn += to_json(record);
            continue;
        }
        const std::string path =
            unlike_others(expand_pattern(pattern, record), record.pid,
                          [&](const std::string& wanted) { return written.insert(wanted).second; });
        write_output(path, to_json(record));
    }
    if (!in_turn.empty()) write_output(pattern, in_turn);
}

}  // namespace gimbal::tool
