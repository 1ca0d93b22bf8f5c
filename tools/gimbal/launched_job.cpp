// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launched_job.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/host_name.hpp"
#include "base/part_file.hpp"
#include "gimbal/error.hpp"
#include "gimbal/launchers.h"
#include "gimbal/process_stat.hpp"
#include "launch.hpp"

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

using namespace std::chrono_literals;

constexpr std::size_t kMax = std::size_t{1} << 22;  // of a file in /proc [bytes]
constexpr auto kPatience = 2s;
constexpr int kMaxRuns = 10000;  // of a launcher's that no rank has been the last of

std::string text_of(pid_t process, const char* file) {
    try {
        return read_file("/proc/" + std::to_string(process) + "/" + file, kMax);
    } catch (const Error&) {
        return {};
    }
}

/// Field of /proc/PID/stat, counted as in proc(5).
long long stat_field(pid_t process, int number) {
    const std::string text = text_of(process, "stat");
    return std::atoll(std::string(ProcessStat(text).field(number)).c_str());
}

/// How many ranks a process was told that there are; 1: nothing.
int ranks_told(pid_t process) {
    const std::string text = text_of(process, "environ");
    std::vector<const char*> variables;
    for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
        variables.push_back(text.data() + at);
        if (text.find('\0', at) == std::string::npos) break;
    }
    variables.push_back(nullptr);
    return read_environment(variables.data()).ranks;
}

/// What started all ranks of this machine: its number and when it began. A script around the tool was told of as many
/// ranks, perhaps by variables that it translates for its program (PMI_RANK=$SLURM_PROCID); the launcher itself was
/// not.
std::string launcher_of_all(int ranks) {
    pid_t process = getppid();
    while (process > 1 && ranks_told(process) == ranks) process = static_cast<pid_t>(stat_field(process, 4));
    return process > 1 ? std::to_string(process) + "-" + std::to_string(stat_field(process, 22)) : std::string();
}

/// A folder of this user's, and nobody else's: the name can be guessed.
bool make_or_join(const std::string& path) {
    struct stat info {};
    if (mkdir(path.c_str(), 0700) == 0) return true;
    return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 077) == 0;
}

int open_in(const std::string& folder, const std::string& name, int flags = 0) {
    return open((folder + "/" + name).c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
}

/// Of this launcher's runs whose folders are there, by number: the path, a dash and the number.
std::vector<int> runs_of(const std::string& path) {
    const fs::path whole(path + "-");
    const std::string beginning = whole.filename();
    std::vector<int> runs;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(whole.parent_path(), ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(beginning)) continue;
        int run = 0;
        const char* const end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + beginning.size(), end, run);
        if (read.ec == std::errc() && read.ptr == end && run >= 0) runs.push_back(run);
    }
    std::sort(runs.begin(), runs.end());
    return runs;
}

}  // namespace

LaunchedJob::LaunchedJob(const Environment& environment, bool starts_ranks_itself) : rank_(environment.rank) {
    if (environment.ranks < 2 || starts_ranks_itself) return;
    const int here = gimbal_ranks_of_node(0);
    expected_ = here > 0 ? here : environment.ranks;
    const std::string launcher = launcher_of_all(environment.ranks);
    const char* const base = std::getenv("TMPDIR");
    const std::string path = fs::absolute(base && *base ? base : "/tmp") /
                             ("gimbal-job-" + std::to_string(geteuid()) + "-" + host_name() + "-" + launcher);
    if (expected_ < 2 || launcher.empty()) return;
    // A script that the launcher has started may run several programs one after the other, and one rank be at the next
    // while others are not: each run has a folder, and a rank goes to the first in which it has not been.
    const auto folder_of = [&](int run) { return path + "-" + std::to_string(run); };
    const std::vector<int> before = runs_of(path);
    int run = before.empty() ? 0 : before.front();
    do {
        if (!make_or_join(folder_of(run))) return;
        member_ = open_in(folder_of(run), "member-" + std::to_string(rank_), O_EXCL);
    } while (member_ < 0 && errno == EEXIST && run++ < kMaxRuns);
    if (member_ < 0 || flock(member_, LOCK_EX | LOCK_NB) != 0) return;
    folder_ = folder_of(run);
    for (const int earlier : before)
        if (earlier < run) earlier_.push_back(folder_of(earlier));
}

LaunchedJob::~LaunchedJob() {
    if (member_ >= 0) close(member_);
}

int LaunchedJob::count(const std::string& prefix) const {
    std::error_code ignored;
    int found = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
        if (entry.path().filename().string().starts_with(prefix)) ++found;
    return found;
}

bool LaunchedJob::others_run() const {
    return others_run_in(folder_) ||
           std::any_of(earlier_.begin(), earlier_.end(), [&](const std::string& one) { return others_run_in(one); });
}

bool LaunchedJob::others_run_in(const std::string& folder) const {
    std::error_code ignored;
    const std::string own = "member-" + std::to_string(rank_);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("member-") || name == own) continue;
        const int file = open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        const bool runs = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0;
        if (file >= 0) close(file);
        if (runs) return true;
    }
    return false;
}

bool LaunchedJob::is_first_overdue() {
    const int said = open_in(folder_, "overdue");
    if (said < 0) return true;
    flock(said, LOCK_EX);  // until it is closed
    struct stat before {};
    const bool first =
        fstat(said, &before) != 0 || before.st_size == 0 || std::time(nullptr) - before.st_mtime > kOverdue_s;
    if (first) (void)!write(said, ".", 1);
    close(said);
    return first;
}

bool LaunchedJob::is_last() {
    const int turn = open_in(folder_, "turn");  // held while looking: two must not both think that they are the last
    if (turn < 0) return false;
    flock(turn, LOCK_EX);
    const int done = open_in(folder_, "done-" + std::to_string(rank_));
    if (done >= 0) close(done);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    bool last = count("done-") >= expected_;
    while (!last && !others_run() && count("done-") < expected_) {
        // Who is missing has died, or has not begun. This one stays: others see that it still runs.
        flock(turn, LOCK_UN);
        std::this_thread::sleep_for(20ms);
        flock(turn, LOCK_EX);
        last = std::chrono::steady_clock::now() > end;
    }
    // Who leaves now does not run any more, as far as others are concerned.
    if (!last) {
        close(member_);
        member_ = -1;
    }
    close(turn);
    return last;
}

}  // namespace gimbal::tool
