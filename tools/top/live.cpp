// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live.hpp"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "base/host_name.hpp"
#include "base/part_file.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/process_stat.hpp"
#include "report/files.hpp"
#include "report/merge.hpp"
#include "report/names.hpp"
#include "report/run_record.hpp"

#ifdef GIMBAL_HAVE_PINNING
#include "share/status_page.hpp"
#endif

namespace gimbal::top {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = std::size_t{1} << 28;  // of a record, or a file of /proc [bytes]

/// @return empty: it cannot be read, the process may have ended
std::string text_of(const fs::path& path) {
    try {
        return read_file(path, kLargest);
    } catch (const Error&) {
        return {};
    }
}

template <class Number>
Number number_of(std::string_view text) {
    Number value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// What /proc/PID/task/TID/stat says, or /proc/PID/stat of all threads together.
std::optional<LiveThread> thread_of(const std::string& text) {
    constexpr int kUser = 14, kSystem = 15, kBegun = 22, kProcessor = 39;  // proc(5)
    static const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    const ProcessStat stat(text);
    if (stat.state() == '\0') return std::nullopt;
    const auto seconds = [&](int field) {
        return static_cast<double>(number_of<std::uint64_t>(stat.field(field))) * tick_s;
    };
    LiveThread thread;
    thread.tid = number_of<int>(text);
    thread.name = stat.name();
    thread.state = stat.state();
    thread.cpu_s = seconds(kUser) + seconds(kSystem);
    thread.begun_s = seconds(kBegun);
    if (!stat.field(kProcessor).empty()) thread.processor = number_of<int>(stat.field(kProcessor));
    return thread;
}

double now_s(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Strings with a zero byte behind each, as in /proc/PID/environ.
std::vector<const char*> strings_in(const std::string& text) {
    std::vector<const char*> strings;
    for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
        strings.push_back(text.data() + at);
        if (text.find('\0', at) == std::string::npos) break;
    }
    strings.push_back(nullptr);
    return strings;
}

std::string setting(const Environment& environment, std::string_view name) {
    for (const Setting& one : environment.settings)
        if (one.name == name) return one.value;
    return {};
}

/// In the folder of a run the name holds the process's number, and when its program started: of several that ran in
/// this process, one after the other, the last one's. @param rank  of the process
fs::path record_in(const fs::path& folder, int rank, int pid) {
    const std::string start = "record-" + std::to_string(rank) + "-" + std::to_string(pid) + "-";
    fs::path last;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename();
        if (name.starts_with(start) && name.ends_with(".json")) last = std::max(last, entry.path());
    }
    return last;
}

/// Where a process writes its record while it runs. @return empty: nobody asked for one, or none is written yet
fs::path record_path(const fs::path& proc, const LiveProcess& process, const Environment& environment) {
    std::error_code ignored;
    const fs::path folder = fs::read_symlink(proc / "cwd", ignored);
    if (const std::string run = setting(environment, "GIMBAL_RUN_DIR"); !run.empty())
        return record_in(folder / run, environment.rank, process.pid);
    const std::string pattern = setting(environment, "GIMBAL_OUTPUT");
    if (pattern.empty()) return {};
    RunRecord known;
    known.pid = process.pid;
    known.rank = environment.rank;
    known.ranks = environment.ranks;
    known.job = environment.job.empty() ? std::to_string(process.pid) : environment.job;
    known.host = host_name();
    return folder / expand_pattern(pattern, known);
}

std::vector<LiveThread> threads_of(const fs::path& proc) {
    std::vector<LiveThread> threads;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(proc / "task", ignored))
        if (std::optional<LiveThread> thread = thread_of(text_of(entry.path() / "stat")))
            threads.push_back(std::move(*thread));
    std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) { return a.tid < b.tid; });
    return threads;
}

/// What placement tells of threads, from pages in shared memory.
void add_placement(std::vector<LiveProcess>& processes) {
#ifdef GIMBAL_HAVE_PINNING
    for (const auto& page : pin::other_pages()) {
        const auto process = std::find_if(processes.begin(), processes.end(),
                                          [&](const LiveProcess& one) { return one.pid == page->pid; });
        if (process == processes.end()) continue;
        for (std::uint32_t i = 0; i < page->threads; ++i) {
            const pin::SharedThread& placed = page->thread[i];
            for (LiveThread& thread : process->threads)
                if (thread.tid == placed.tid) thread.given = pus_of(placed);
        }
    }
#else
    (void)processes;
#endif
}

/// Loops of one name are one to who looks: an inline function that several objects hold.
void join_loops_of_one_name(RunRecord& record) {
    MergedRun merged = merge(std::span(&record, 1));
    if (merged.loops.size() == record.loops.size()) return;
    record.loops.clear();
    for (MergedLoop& loop : merged.loops) record.loops.push_back(std::move(loop.sum));
}

bool has_gimbal(const fs::path& proc) {
    return text_of(proc / "maps").find("/libgimbal.so") != std::string::npos;
}

/// @return nothing: it is not this user's, has no Gimbal in it, or has ended
std::optional<LiveProcess> process_in(const fs::path& proc) {
    struct stat owner {};
    if (stat(proc.c_str(), &owner) != 0 || owner.st_uid != geteuid() || !has_gimbal(proc)) return std::nullopt;
    const std::optional<LiveThread> figures = thread_of(text_of(proc / "stat"));
    if (!figures || figures->state == 'Z' || figures->state == 'X') return std::nullopt;
    LiveProcess process;
    process.pid = figures->tid;
    process.program = text_of(proc / "cmdline");
    std::replace(process.program.begin(), process.program.end(), '\0', ' ');
    while (process.program.ends_with(' ')) process.program.pop_back();
    process.running_s = std::max(0.0, now_s(CLOCK_BOOTTIME) - figures->begun_s);
    process.cpu_s = figures->cpu_s;  // of all its threads
    process.threads = threads_of(proc);
    return process;
}

}  // namespace

void LiveProcesses::name_loops(RunRecord& record) {
    const auto each = [&](const auto& visit) {
        std::for_each(record.loops.begin(), record.loops.end(), visit);
        std::for_each(record.unfinished.begin(), record.unfinished.end(), visit);
    };
    std::vector<LoopPlace> places;
    each([&](auto& loop) {
        const auto known = names_.find(places.emplace_back(loop.module, loop.build, loop.offset));
        if (known == names_.end()) return;
        if (loop.name.empty())
            loop.module.clear();
        else
            loop.template_name = loop.name;
        loop.name = known->second;
    });
    record.waiting.reset();  // its names would be looked up, and nobody shows them
    resolve_names(record);
    auto place = places.begin();
    each([&](const auto& loop) {
        // One whose name is the compiler's may turn out to be an instance of a template.
        const bool is_final = loop.module.empty() || !loop.template_name.empty();
        if (!std::get<0>(*place).empty() && is_final) names_[*place] = loop.name;
        ++place;
    });
}

void LiveProcesses::read_record(LiveProcess& process, const Environment& environment) {
    const fs::path path = record_path("/proc/" + std::to_string(process.pid), process, environment);
    struct stat written {};
    if (path.empty() || stat(path.c_str(), &written) != 0) return;
    try {
        RunRecord record = from_json(read_file(path, kLargest));
        if (record.pid != process.pid) return;  // of an earlier run
        name_loops(record);
        join_loops_of_one_name(record);
        process.record = std::move(record);
        process.record_age_s = std::max(0.0, now_s(CLOCK_REALTIME) - static_cast<double>(written.st_mtime));
    } catch (const Error&) {
        return;  // of another version, or gone since
    }
}

void LiveProcesses::leave_out_other_runs(std::vector<LiveProcess>& processes) const {
    std::set<std::string> runs;
    for (const LiveProcess& process : processes)
        if (std::find(of_.begin(), of_.end(), process.pid) != of_.end()) runs.insert(process.run);
    if (!of_.empty()) std::erase_if(processes, [&](const LiveProcess& one) { return !runs.contains(one.run); });
}

std::vector<LiveProcess> LiveProcesses::look() {
    std::vector<LiveProcess> processes;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
        if (number_of<int>(entry.path().filename().native()) <= 0) continue;
        std::optional<LiveProcess> process = process_in(entry.path());
        if (!process) continue;
        const std::string variables = text_of(entry.path() / "environ");
        const Environment environment = read_environment(strings_in(variables).data());
        process->rank = environment.rank;
        process->ranks = environment.ranks;
        process->run = setting(environment, "GIMBAL_RUN_DIR");
        if (process->run.empty()) process->run = environment.job + environment.launch;
        if (process->run.empty()) process->run = std::to_string(process->pid);
        read_record(*process, environment);
        processes.push_back(std::move(*process));
    }
    leave_out_other_runs(processes);
    add_placement(processes);
    std::sort(processes.begin(), processes.end(), [](const LiveProcess& a, const LiveProcess& b) {
        return std::tie(a.run, a.rank, a.pid) < std::tie(b.run, b.rank, b.pid);
    });
    return processes;
}

}  // namespace gimbal::top
