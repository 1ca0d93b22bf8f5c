// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "config/file.hpp"
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

RunFolder::RunFolder() {
    const char* const base = std::getenv("TMPDIR");
    path_ = std::string(base && *base ? base : "/tmp") + "/gimbal-run-XXXXXX";
    if (!mkdtemp(path_.data()))
        throw Error(ErrorCode::file, "cannot make a folder for records, " + path_ + ": " + std::strerror(errno),
                    "set TMPDIR to a folder that can be written");
}

RunFolder::~RunFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
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
