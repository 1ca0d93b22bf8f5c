// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/merge.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/quote.hpp"

namespace gimbal {

namespace {

// What clocks of nodes may differ by, and what a launcher may take from the first rank to the last.
constexpr double kSlack_s = 1;
constexpr double kSlackOfLaunch_s = 60;

/// What a batch system or a launcher calls the run; without either a process calls its job by its own number.
std::string identity(const RunRecord& record) {
    const std::string job = record.job == std::to_string(record.pid) ? std::string() : record.job;
    return record.launch.empty() ? job : record.launch + "/" + job;
}

/// Numbers of processes come again, on other nodes and on other days.
bool same_process(const RunRecord& a, const RunRecord& b) {
    if (a.pid != b.pid || a.rank != b.rank || a.started_s != b.started_s || a.host != b.host) return false;
    return a.started_s > 0 || (a.job == b.job && a.wall_s == b.wall_s && a.program == b.program);
}

bool same_family(const RunRecord& a, const RunRecord& b) {
    return a.started_s > 0 && a.started_s == b.started_s && a.rank == b.rank && a.host == b.host;
}

/// A run as it grows.
struct Run {
    std::vector<std::size_t> members;
    double begin_s = 0, end_s = 0;  // of all members whose times are known
};

/// Each process once, the record of its longest time; those without times as they were given.
std::vector<std::size_t> in_order_of_time(std::span<const RunRecord> records,
                                          std::vector<std::pair<std::size_t, std::size_t>>& repeated) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto same = std::find_if(order.begin(), order.end(),
                                       [&](std::size_t other) { return same_process(records[i], records[other]); });
        if (same == order.end()) {
            order.push_back(i);
            continue;
        }
        std::size_t shorter = i;
        if (records[i].wall_s > records[*same].wall_s) std::swap(shorter, *same);
        repeated.emplace_back(shorter, *same);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return records[a].started_s < records[b].started_s; });
    return order;
}

bool takes(const Run& run, const RunRecord& record, std::span<const RunRecord> records) {
    const RunRecord& first = records[run.members.front()];
    const auto any = [&](auto of) {
        return std::any_of(run.members.begin(), run.members.end(), [&](std::size_t m) { return of(records[m]); });
    };
    if (record.ranks != first.ranks || identity(record) != identity(first)) return false;
    if (any([&](const RunRecord& other) { return same_family(record, other); })) return true;
    // Several processes of a rank, or programs, have a launcher that says so, or are taken for several runs.
    const bool alike =
        record.program == first.program && !any([&](const RunRecord& other) { return record.rank == other.rank; });
    if (record.launch.empty() && !alike) return false;
    if (record.started_s <= 0 || run.end_s <= 0) return true;
    const double slack_s = record.launch.empty() ? kSlack_s : kSlackOfLaunch_s;
    return record.started_s <= run.end_s + slack_s && record.started_s + record.wall_s >= run.begin_s - slack_s;
}

/// The run lasts while any of its members does.
void stretch(Run& run, const RunRecord& record) {
    if (record.started_s <= 0) return;
    run.begin_s = run.end_s > 0 ? std::min(run.begin_s, record.started_s) : record.started_s;
    run.end_s = std::max(run.end_s, record.started_s + record.wall_s);
}

}  // namespace

SortedRecords sort_by_run(std::span<const RunRecord> records) {
    SortedRecords sorted;
    std::vector<Run> runs;
    for (const std::size_t i : in_order_of_time(records, sorted.repeated)) {
        auto run =
            std::find_if(runs.begin(), runs.end(), [&](const Run& one) { return takes(one, records[i], records); });
        if (run == runs.end()) run = runs.emplace(run);
        run->members.push_back(i);
        stretch(*run, records[i]);
    }
    for (Run& run : runs) {
        std::sort(run.members.begin(), run.members.end());
        sorted.runs.push_back(std::move(run.members));
    }
    std::sort(sorted.runs.begin(), sorted.runs.end());
    std::sort(sorted.repeated.begin(), sorted.repeated.end());
    return sorted;
}

std::string run_title(std::span<const RunRecord> records) {
    const RunRecord& first = records.front();
    std::string text = "job " + first.job;
    double started_s = 0;
    for (const RunRecord& record : records)
        if (record.started_s > 0 && (started_s <= 0 || record.started_s < started_s)) started_s = record.started_s;
    std::array<char, 40> when{};
    tm parts{};
    constexpr double kEndOfYears_s = 1e11;  // a file may say anything
    const auto seconds = static_cast<time_t>(std::clamp(started_s, 0.0, kEndOfYears_s));
    if (started_s > 0 && started_s < kEndOfYears_s && gmtime_r(&seconds, &parts))
        if (strftime(when.data(), when.size(), "%Y-%m-%d %H:%M:%S", &parts) > 0)
            text.append(", started ").append(when.data()).append(" UTC");
    text += ", " + std::to_string(first.ranks) + (first.ranks == 1 ? " rank, " : " ranks, ") + first.program;
    return escape_controls(text);
}

}  // namespace gimbal
