// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "figures.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "report/metrics.hpp"
#include "report/table.hpp"

namespace gimbal::top {

namespace {

using LoopKey = std::tuple<std::string, std::string, std::uint32_t, bool>;  // run, name, workers, over ranks

const LoopSummary* find(const RunRecord& record, const LoopSummary& wanted) {
    const auto found = std::find_if(record.loops.begin(), record.loops.end(), [&](const LoopSummary& loop) {
        return loop.name == wanted.name && loop.workers == wanted.workers && loop.over_ranks == wanted.over_ranks;
    });
    return found == record.loops.end() ? nullptr : &*found;
}

/// What a loop did between two records.
struct Difference {
    double wall_s = 0;  ///< between them
    double calls = 0, time_s = 0, busy_max_s = 0, busy_mean_s = 0, waiting_s = 0;
    double unfinished_s = 0;  ///< in the execution in flight, not in time_s; < 0: in the one that has ended since
    std::map<std::string, double> calls_of;  ///< by schedule

    void add(const LoopSummary& loop, double sign) {
        calls += sign * static_cast<double>(loop.calls);
        time_s += sign * loop.time_s;
        busy_max_s += sign * loop.busy_max_s;
        busy_mean_s += sign * loop.busy_mean_s;
        waiting_s += sign * time_parts(loop).waiting_s;
        for (const ScheduleUse& use : loop.schedules) calls_of[use.schedule] += sign * static_cast<double>(use.calls);
    }
};

LoopRow row_of(const LoopKey& key, const Difference& seen) {
    LoopRow row;
    std::tie(row.run, row.name, row.workers, row.over_ranks) = key;
    const auto most = std::max_element(seen.calls_of.begin(), seen.calls_of.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != seen.calls_of.end() && most->second > 0) row.technique = most->first;
    if (seen.wall_s > 0) {
        row.calls_per_s = seen.calls / seen.wall_s;
        row.share = std::clamp((seen.time_s + seen.unfinished_s) / seen.wall_s, 0.0, 1.0);
    }
    row.imbalance = imbalance(seen.busy_max_s, seen.busy_mean_s);
    if (seen.time_s > 0) row.lost = std::clamp(seen.waiting_s / seen.time_s, 0.0, 1.0);
    return row;
}

/// A rank may have several processes, a shell that starts the program among them: one with a record stands for all.
std::string run_line(const std::vector<const LiveProcess*>& members) {
    const auto recorded =
        std::find_if(members.begin(), members.end(), [](const LiveProcess* one) { return one->record.has_value(); });
    const LiveProcess& shown = recorded == members.end() ? *members.front() : **recorded;
    std::set<int> ranks;
    for (const LiveProcess* const one : members) ranks.insert(one->rank);
    std::string line = (shown.record ? shown.record->program : shown.program) + ": ";
    if (shown.ranks > 1)
        line += std::to_string(ranks.size()) + " of " + std::to_string(shown.ranks) + " ranks here, ";
    else
        line += "process " + std::to_string(shown.pid) + ", ";
    return line + seconds(shown.running_s) + " s";
}

}  // namespace

void Rates::see(const LiveProcess& process, Seen& seen) {
    if (!process.record) return;
    // exec() keeps the process and begins a program anew.
    const bool same = seen.now.pid == process.pid && seen.now.started_s == process.record->started_s;
    if (same && seen.now.wall_s >= process.record->wall_s) return;
    if (same) seen.before = std::move(seen.now);
    seen.two = same;
    seen.now = *process.record;
}

void Rates::add_processor_time(const LiveProcess& process, double at_s, Seen& seen, RankRow& rank, Figures& figures) {
    const bool first_look = seen.at_s < 0;
    const double elapsed_s = first_look ? process.running_s : at_s - seen.at_s;
    const auto part_of = [&](double cpu_s) { return elapsed_s > 0 ? std::max(0.0, cpu_s / elapsed_s) : 0.0; };
    rank.cpu = part_of(process.cpu_s - (first_look ? 0 : seen.cpu_s));
    std::map<int, double> cpu_s;
    for (const LiveThread& thread : process.threads) {
        const auto before = seen.thread_cpu_s.find(thread.tid);
        const double then_s = before == seen.thread_cpu_s.end() ? 0 : before->second;
        figures.threads.push_back({process.rank, process.pid, thread.tid, thread.processor, thread.name, thread.state,
                                   std::min(1.0, part_of(thread.cpu_s - then_s)), thread.given});
        cpu_s[thread.tid] = thread.cpu_s;
    }
    seen.at_s = at_s;
    seen.cpu_s = process.cpu_s;
    seen.thread_cpu_s = std::move(cpu_s);
}

Figures Rates::update(const std::vector<LiveProcess>& processes, double at_s) {
    Figures figures;
    std::map<LoopKey, Difference> loops;
    std::map<std::string, std::vector<const LiveProcess*>> runs;
    std::set<int> alive;
    for (const LiveProcess& process : processes) {
        alive.insert(process.pid);
        runs[process.run].push_back(&process);
        Seen& seen = seen_[process.pid];
        see(process, seen);
        RankRow rank{.rank = process.rank,
                     .pid = process.pid,
                     .threads = process.threads.size(),
                     .program = process.program,
                     .running_s = process.running_s,
                     .record_age_s = process.record_age_s,
                     .has_record = process.record.has_value()};
        add_processor_time(process, at_s, seen, rank, figures);
        const double wall_s = seen.now.wall_s - (seen.two ? seen.before.wall_s : 0);
        Difference in_threads;
        std::set<LoopKey> of_process;
        const auto loop_of = [&](const auto& loop) -> Difference& {
            const LoopKey key{process.run, loop.name, loop.workers, loop.over_ranks};
            Difference& found = loops[key];
            if (of_process.insert(key).second) found.wall_s += wall_s;
            return found;
        };
        for (const LoopSummary& loop : seen.now.loops) {
            const LoopSummary* const before = seen.two ? find(seen.before, loop) : nullptr;
            Difference& of_loop = loop_of(loop);
            for (Difference* const sum : {&of_loop, loop.over_ranks ? nullptr : &in_threads}) {
                if (sum) sum->add(loop, 1);
                if (sum && before) sum->add(*before, -1);
            }
        }
        const auto add_unfinished = [&](const RunRecord& record, double sign) {
            for (const UnfinishedLoop& loop : record.unfinished) {
                loop_of(loop).unfinished_s += sign * loop.time_s;
                if (!loop.over_ranks) in_threads.unfinished_s += sign * loop.time_s;
            }
        };
        add_unfinished(seen.now, 1);
        if (seen.two) add_unfinished(seen.before, -1);
        // What an execution lost counts when it ends: it may be longer than the time between two records.
        if (wall_s > 0) rank.in_loops = std::clamp((in_threads.time_s + in_threads.unfinished_s) / wall_s, 0.0, 1.0);
        if (in_threads.time_s > 0) rank.lost = std::clamp(in_threads.waiting_s / in_threads.time_s, 0.0, 1.0);
        figures.ranks.push_back(std::move(rank));
    }
    std::erase_if(seen_, [&](const auto& one) { return !alive.contains(one.first); });
    for (const auto& [key, loop] : loops) figures.loops.push_back(row_of(key, loop));
    for (const auto& [run, members] : runs) figures.runs.push_back(run_line(members));
    return figures;
}

}  // namespace gimbal::top
