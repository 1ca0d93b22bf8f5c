// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/merge.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gimbal {

namespace {

using PerRank = std::map<int, double>;

OverRanks over_ranks(const PerRank& values, std::uint32_t ranks) {
    OverRanks result;
    if (values.empty() || ranks == 0) return result;
    result.min = values.size() < ranks ? 0 : values.begin()->second;
    for (const auto& [rank, value] : values) {
        result.min = std::min(result.min, value);
        result.max = std::max(result.max, value);
        result.mean += value / ranks;
    }
    return result;
}

void add_schedules(const LoopSummary& loop, LoopSummary& sum) {
    for (const ScheduleUse& use : loop.schedules) {
        const auto same = std::find_if(sum.schedules.begin(), sum.schedules.end(), [&](const ScheduleUse& other) {
            return other.schedule == use.schedule && other.reason == use.reason && other.exploring == use.exploring;
        });
        if (same == sum.schedules.end()) {
            sum.schedules.push_back(use);
        } else {
            same->calls += use.calls;
            same->time_s += use.time_s;
        }
    }
}

void add(const LoopSummary& loop, LoopSummary& sum) {
    sum.name = loop.name;
    sum.module = loop.module;
    sum.offset = loop.offset;
    sum.workers = loop.workers;
    sum.calls += loop.calls;
    sum.iterations += loop.iterations;
    sum.chunks += loop.chunks;
    sum.time_s += loop.time_s;
    sum.busy_max_s += loop.busy_max_s;
    sum.busy_mean_s += loop.busy_mean_s;
    sum.scheduling_s += loop.scheduling_s;
    sum.fallbacks += loop.fallbacks;
    sum.static_fraction = loop.static_fraction;  // ranks may differ: the last one's stands for all
    sum.tuning = loop.tuning;
    sum.exploring_calls += loop.exploring_calls;
    sum.opening_s += loop.opening_s;
    sum.closing_s += loop.closing_s;
    sum.exploring_cost_s += loop.exploring_cost_s;
    add_schedules(loop, sum);
}

void add_warnings(const RunRecord& record, std::vector<std::string>& warnings) {
    for (const std::string& warning : record.warnings)
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
}

struct Growing {
    LoopSummary sum;
    PerRank time_s;
    double alternative_s = 0;  // loop time of the record that the alternative is of
};

/// Ranks may differ in what else they could do; the one that spends most time in the loop stands for all.
void add_alternative(const LoopSummary& loop, Growing& growing) {
    if (loop.alternative.schedule.empty() || loop.time_s <= growing.alternative_s) return;
    growing.sum.alternative = loop.alternative;
    growing.alternative_s = loop.time_s;
}

}  // namespace

double MergedLoop::imbalance() const noexcept {
    return sum.busy_mean_s > 0 ? std::max(0.0, sum.busy_max_s / sum.busy_mean_s - 1) : 0;
}

double MergedLoop::lost() const noexcept {
    return sum.busy_max_s > 0 ? std::max(0.0, 1 - sum.busy_mean_s / sum.busy_max_s) : 0;
}

double MergedLoop::scheduling_overhead() const noexcept {
    return sum.time_s > 0 ? sum.scheduling_s / sum.time_s : 0;
}

MergedRun merge(std::span<const RunRecord> records) {
    MergedRun run;
    std::map<std::pair<std::string, std::uint32_t>, Growing> loops;
    PerRank wall, busy;
    for (const RunRecord& record : records) {
        run.ranks = std::max(run.ranks, static_cast<std::uint32_t>(std::max(record.ranks, record.rank + 1)));
        wall[record.rank] += record.wall_s;
        run.dispatch_ns += record.dispatch_ns / static_cast<double>(records.size());
        add_warnings(record, run.warnings);
        busy[record.rank] += 0;
        for (const LoopSummary& loop : record.loops) {
            Growing& growing = loops[{loop.name, loop.workers}];
            add(loop, growing.sum);
            add_alternative(loop, growing);
            growing.time_s[record.rank] += loop.time_s;
            busy[record.rank] += loop.time_s;
            run.threads = std::max(run.threads, loop.workers);
        }
    }
    run.ranks_seen = static_cast<std::uint32_t>(wall.size());
    run.wall_s = over_ranks(wall, run.ranks_seen);
    const OverRanks busy_s = over_ranks(busy, run.ranks_seen);
    run.rank_balance = busy_s.max > 0 ? busy_s.mean / busy_s.max : 1;
    for (auto& [key, growing] : loops) {
        const auto ranks = static_cast<std::uint32_t>(growing.time_s.size());
        run.loops.push_back({std::move(growing.sum), over_ranks(growing.time_s, run.ranks_seen), ranks});
    }
    std::stable_sort(run.loops.begin(), run.loops.end(),
                     [](const MergedLoop& a, const MergedLoop& b) { return a.sum.time_s > b.sum.time_s; });
    return run;
}

}  // namespace gimbal
