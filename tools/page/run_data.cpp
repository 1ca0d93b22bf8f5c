// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "base/c_locale.hpp"
#include "gimbal/plain_text.hpp"
#include "report/efficiency.hpp"
#include "report/merge.hpp"
#include "report/metrics.hpp"
#include "report/summary.hpp"

namespace gimbal::page {

namespace {

/// A rank's part of a loop; of a loop over ranks only `busy_s` is known.
struct RankPart {
    double time_s = 0;
    TimeParts parts;
    std::vector<double> busy_s;  ///< of its threads
};

using RankParts = std::map<LoopKey, std::map<int, RankPart>>;

/// Four digits say all that a measured time can, in a third of the letters.
double rounded(double value) {
    return std::isfinite(value) ? whole_number_text(significant_digits(value, 4)).value_or(0) : 0;
}

Json json_of(const OverRanks& figures) {
    return {{"min", rounded(figures.min)}, {"mean", rounded(figures.mean)}, {"max", rounded(figures.max)}};
}

void add_rank(const LoopSummary& loop, RankPart& part) {
    const TimeParts more = time_parts(loop);
    part.time_s += loop.time_s;
    part.parts.work_s += more.work_s;
    part.parts.scheduling_s += more.scheduling_s;
    part.parts.late_s += more.late_s;
    part.parts.waiting_s += more.waiting_s;
    part.parts.entry_exit_s += more.entry_exit_s;
    part.busy_s.resize(std::max(part.busy_s.size(), loop.per_worker.size()), 0);
    for (std::size_t i = 0; i < loop.per_worker.size(); ++i) part.busy_s[i] += loop.per_worker[i].busy_s;
}

/// A loop over ranks stands in one record that knows all of them: each of its workers is a rank. Of a group of ranks
/// nobody knows which ranks of the job they are, unless it is one rank (MPI_COMM_SELF), whose record it is.
void spread_over_ranks(const LoopSummary& loop, int own_rank, std::uint32_t all, std::map<int, RankPart>& ranks) {
    const bool alone = loop.workers == 1 && loop.per_worker.size() == 1;
    if (!alone && loop.per_worker.size() != all) return;
    for (std::size_t i = 0; i < loop.per_worker.size(); ++i) {
        RankPart& part = ranks[alone ? own_rank : static_cast<int>(i)];
        const double busy_s = loop.per_worker[i].busy_s;
        part.time_s += loop.time_s;
        part.parts.work_s += busy_s;
        part.parts.waiting_s += std::max(0.0, loop.time_s - busy_s);
    }
}

RankParts parts_of(std::span<const RunRecord> records, std::uint32_t all) {
    RankParts parts;
    for (const RunRecord& record : records)
        for (const LoopSummary& loop : record.loops) {
            std::map<int, RankPart>& ranks = parts[key_of(loop)];
            if (loop.over_ranks && !loop.steals)
                spread_over_ranks(loop, record.rank, all, ranks);
            else
                add_rank(loop, ranks[record.rank]);
        }
    return parts;
}

/// @param thread_figures  that the page has room for; none are left once a loop has more, all ranks taken together
Json by_rank(const std::map<int, RankPart>& ranks, std::size_t& thread_figures) {
    std::size_t wanted = 0;
    for (const auto& [rank, part] : ranks) wanted += part.busy_s.size();
    const bool fits = wanted <= thread_figures;
    thread_figures = fits ? thread_figures - wanted : 0;
    Json list = Json::array();
    for (const auto& [rank, part] : ranks) {
        Json busy = Json::array();
        if (fits)
            for (const double seconds : part.busy_s) busy.push_back(rounded(seconds));
        list.push_back({rank, rounded(part.time_s), rounded(part.parts.work_s), rounded(part.parts.scheduling_s),
                        rounded(part.parts.late_s), rounded(part.parts.waiting_s), rounded(part.parts.entry_exit_s),
                        std::move(busy)});
    }
    return list;
}

/// @param part  of the sums over ranks that are shown
Json schedules_of(const LoopSummary& loop, double part) {
    Json list = Json::array();
    for (const ScheduleUse& use : loop.schedules)
        list.push_back({{"schedule", use.schedule},
                        {"reason", use.reason},
                        {"calls", use.calls},
                        {"time_s", rounded(use.time_s * part)},
                        {"median_s", rounded(use.median_s)},
                        {"exploring", use.exploring},
                        {"timed", use.timed}});
    return list;
}

Json json_of(const Timeline& timeline) {
    Json points = Json::array(), changes = Json::array();
    for (const TimelinePoint& point : timeline.points)
        points.push_back({point.first, point.last, rounded(point.loop_s), rounded(point.longest_s),
                          rounded(point.late_or_lost), point.schedule, point.exploring ? 1 : 0});
    for (const TimelineChange& change : timeline.changes)
        changes.push_back({change.step, change.schedule, change.reason, change.exploring ? 1 : 0});
    return {{"rank", timeline.rank < 0 ? Json() : Json(timeline.rank)},
            {"steps", timeline.steps},
            {"schedules", timeline.schedules},
            {"point_fields", {"first", "last", "loop_s", "longest_s", "late_or_lost", "schedule", "exploring"}},
            {"points", std::move(points)},
            {"change_fields", {"step", "schedule", "reason", "exploring"}},
            {"changes", std::move(changes)},
            {"all_changes", timeline.all_changes}};
}

bool is_of(const Timeline& timeline, const LoopSummary& loop) {
    return timeline.workers == loop.workers && timeline.loop == loop.name;
}

Json loop_data(const MergedLoop& loop, std::uint32_t ranks, const std::vector<Timeline>& timelines) {
    const LoopSummary& sum = loop.sum;
    const TimeParts parts = time_parts(sum);
    // Sums over ranks become means, so that a bar is as long as the loop took. Of a loop over ranks there is one.
    const double part = 1.0 / std::max(1U, sum.over_ranks ? 1U : ranks);
    Json json = {{"name", sum.name},
                 {"level", sum.over_ranks ? "ranks" : "threads"},
                 {"workers", sum.workers},
                 {"steals", sum.steals.has_value()},
                 {"calls", sum.calls},
                 {"untimed_calls", sum.untimed_calls},
                 {"iterations", sum.iterations},
                 {"chunks", sum.chunks},
                 {"time_s", json_of(loop.time_s)},
                 {"work_s", rounded(parts.work_s * part)},
                 {"scheduling_s", rounded(parts.scheduling_s * part)},
                 {"late_s", rounded(parts.late_s * part)},
                 {"waiting_s", rounded(parts.waiting_s * part)},
                 {"entry_exit_s", rounded(parts.entry_exit_s * part)},
                 {"overlap", rounded(loop.overlap)},
                 {"overlap_remark", overlap_remark(loop)},
                 {"workers_known", loop.knows_all_workers()},
                 {"imbalance", loop.knows_imbalance() ? Json(rounded(loop.imbalance())) : Json(nullptr)},
                 {"late", rounded(loop.late())},
                 {"lost", rounded(loop.lost())},
                 {"scheduling", rounded(loop.scheduling_overhead())},
                 {"technique", technique_cell(sum)},
                 {"remark", choice_remark(sum, loop.ranks)},
                 {"static_fraction", sum.static_fraction < 0 ? Json(nullptr) : Json(rounded(sum.static_fraction))},
                 {"tuning", sum.tuning},
                 {"earlier_run", sum.earlier_run},
                 {"exploring_calls", sum.exploring_calls},
                 {"exploring_cost_s", rounded(sum.exploring_cost_s * part)},
                 {"fallbacks", sum.fallbacks},
                 {"schedules", schedules_of(sum, part)}};
    const auto found =
        std::find_if(timelines.begin(), timelines.end(), [&](const Timeline& one) { return is_of(one, sum); });
    json["timeline"] = found == timelines.end() ? Json(nullptr) : json_of(*found);
    return json;
}

Json json_of(const std::optional<Efficiency>& efficiency) {
    if (!efficiency) return nullptr;
    return {{"parallel", rounded(efficiency->parallel())},
            {"mpi", rounded(efficiency->mpi())},
            {"load_balance", rounded(efficiency->load_balance())},
            {"serialisation", rounded(efficiency->serialisation())},
            {"transfer", rounded(efficiency->transfer())},
            {"openmp", rounded(efficiency->openmp())},
            {"threads_balance", rounded(efficiency->threads_balance())},
            {"scheduling", rounded(efficiency->scheduling())},
            {"serial", rounded(efficiency->serial())}};
}

/// One entry for each process, in the order of ranks.
Json processes_of(std::span<const RunRecord> records) {
    Json list = Json::array();
    for (const RunRecord& record : records)
        list.push_back(
            {{"rank", record.rank},
             {"host", record.host},
             {"pid", record.pid},
             {"wall_s", rounded(record.wall_s)},
             {"mpi_known", record.waiting.has_value()},
             {"mpi_waiting_s", record.waiting ? rounded(record.waiting->waiting_s) : 0},
             {"mpi_transfer_s", record.waiting ? rounded(record.waiting->mpi_s - record.waiting->waiting_s) : 0},
             {"partial", record.partial}});
    return list;
}

Json placement_of(std::span<const RunRecord> records) {
    const CLocale plain;
    Json list = Json::array();
    for (const RunRecord& record : records) {
        Json placement = record.placement.empty() ? Json() : Json::parse(record.placement, nullptr, false);
        if (!placement.is_object()) continue;
        list.push_back({{"rank", record.rank}, {"host", record.host}, {"placement", std::move(placement)}});
    }
    return list;
}

Json places_of(const MergedRun& run) {
    Json list = Json::array();
    for (const WaitingPath& path : run.waiting_places)
        list.push_back({{"call", path.call},
                        {"name", path.name},
                        {"calls", path.calls},
                        {"time_s", rounded(path.time_s)},
                        {"waiting_s", rounded(path.waiting_s)},
                        {"last_rank", path.last_rank < 0 ? Json(nullptr) : Json(path.last_rank)},
                        {"by_that_rank", path.by_that_rank},
                        {"seen_calls", path.seen_calls}});
    return list;
}

Json settings_of(const RunRecord& record) {
    Json list = Json::array();
    for (const Setting& use : record.options)
        list.push_back({{"name", use.name}, {"value", use.value}, {"origin", use.origin}});
    return list;
}

Json hosts_of(std::span<const RunRecord> records) {
    std::set<std::string> hosts;
    for (const RunRecord& record : records) hosts.insert(record.host);
    return hosts;
}

}  // namespace

Json run_data(const Run& run) {
    std::vector<RunRecord> records = run.records;
    std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    const RunRecord& first = records.front();
    const MergedRun merged = merge(records);
    std::vector<std::string> warnings = lacking(records, merged);
    warnings.insert(warnings.end(), merged.warnings.begin(), merged.warnings.end());
    RankParts parts = parts_of(records, merged.ranks);
    Json json = {{"title", run_title(records)},
                 {"gimbal_version", first.gimbal_version},
                 {"program", first.program},
                 {"job", first.job},
                 {"hosts", hosts_of(records)},
                 {"openmp", first.openmp},
                 {"seed", first.seed},
                 {"ranks", merged.ranks},
                 {"ranks_seen", merged.ranks_seen},
                 {"threads", merged.threads},
                 {"wall_s", json_of(merged.wall_s)},
                 {"rank_balance", merged.ranks_known ? Json(rounded(merged.rank_balance)) : Json(nullptr)},
                 {"dispatch_ns", rounded(merged.dispatch_ns)},
                 {"cores_lent", merged.cores_lent},
                 {"efficiency", json_of(merged.efficiency)},
                 {"notes", notes(merged)},
                 {"warnings", warnings},
                 {"settings", settings_of(first)},
                 {"processes", processes_of(records)},
                 {"by_rank_fields",
                  {"rank", "time_s", "work_s", "scheduling_s", "late_s", "waiting_s", "entry_exit_s", "busy_s"}}};
    std::size_t thread_figures = kMaxThreadFigures;
    Json loops = Json::array();
    for (const MergedLoop& loop : merged.loops) {
        Json& entry = loops.emplace_back(loop_data(loop, merged.ranks_seen, run.timelines));
        entry["by_rank"] = by_rank(parts[key_of(loop.sum)], thread_figures);
    }
    json["loops"] = std::move(loops);
    json["waiting_places"] = places_of(merged);
    json["placement"] = placement_of(records);
    return json;
}

}  // namespace gimbal::page
