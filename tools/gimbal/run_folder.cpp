// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/read_file.hpp"
#include "gimbal/error.hpp"
#include "report/json.hpp"
#include "report/names.hpp"

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestRecord = std::size_t{1} << 28;  // [bytes]

/// Of each rank: the processes that ran loops; if there is none, the one that lived longest.
std::vector<RunRecord> telling(std::vector<RunRecord> records) {
    std::sort(records.begin(), records.end(), [](const RunRecord& a, const RunRecord& b) {
        if (a.rank != b.rank) return a.rank < b.rank;
        if (a.loops.empty() != b.loops.empty()) return b.loops.empty();
        return a.loops.empty() ? a.wall_s > b.wall_s : a.pid < b.pid;
    });
    std::vector<RunRecord> kept;
    for (RunRecord& record : records)
        if (kept.empty() || kept.back().rank != record.rank || !record.loops.empty()) kept.push_back(std::move(record));
    return kept;
}

}  // namespace

RunFolder::RunFolder(const std::string& shared) : path_(shared) {
    if (!shared.empty()) return;
    const char* const base = std::getenv("TMPDIR");
    path_ = std::string(base && *base ? base : "/tmp") + "/gimbal-run-XXXXXX";
    if (!mkdtemp(path_.data()))
        throw Error(ErrorCode::file, "cannot make a folder for records, " + path_ + ": " + std::strerror(errno),
                    "set TMPDIR to a folder that can be written");
}

RunFolder::~RunFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
}

std::string RunFolder::preloadable(const std::string& library) const {
    constexpr const char* kSeparators = " :";
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

std::vector<RunRecord> RunFolder::records(std::vector<std::string>& problems) const {
    std::vector<RunRecord> records;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("record-") || !name.ends_with(".json")) continue;
        try {
            records.push_back(from_json(read_file(entry.path(), kLargestRecord)));
            resolve_names(records.back());
        } catch (const Error& error) {
            problems.push_back(name + ": " + error.what());
        }
    }
    return telling(std::move(records));
}

}  // namespace gimbal::tool
