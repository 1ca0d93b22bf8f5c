// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/run_record.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/c_locale.hpp"
#include "gimbal/error.hpp"
#include "report/metrics.hpp"

namespace gimbal {

namespace {

// Keys stay in the order in which they are written: a record is read by people too.
using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json parsed(std::string_view text) {
    const CLocale plain;
    return Json::parse(text, nullptr, false);
}

double finite(double value) {
    return std::isfinite(value) ? value : 0;
}

/// null if there is none.
Json json_of(const AlternativeUse& other) {
    if (other.schedule.empty()) return nullptr;
    return {{"schedule", other.schedule},
            {"call_s", finite(other.call_s)},
            {"ratio", finite(other.ratio)},
            {"predicted", other.predicted}};
}

/// null if there was no stealing.
Json json_of(const std::optional<StealFigures>& steals) {
    if (!steals) return nullptr;
    return {{"own", steals->own},
            {"stolen", steals->stolen},
            {"given", steals->given},
            {"attempts", steals->attempts},
            {"successes", steals->successes},
            {"bytes_in", steals->bytes_in},
            {"bytes_out", steals->bytes_out},
            {"waiting_s", finite(steals->waiting_s)},
            {"ratio", finite(steals->ratio)}};
}

Json json_of(const std::optional<SlowWorker>& slow) {
    if (!slow) return nullptr;
    return {{"worker", slow->worker},
            {"rate", finite(slow->rate)},
            {"processor", slow->processor},
            {"by_instructions", slow->by_instructions}};
}

Json json_of(const LoopSummary& loop) {
    Json schedules = Json::array(), workers = Json::array();
    for (const ScheduleUse& use : loop.schedules)
        schedules.push_back({{"schedule", use.schedule},
                             {"reason", use.reason},
                             {"calls", use.calls},
                             {"time_s", finite(use.time_s)},
                             {"exploring", use.exploring},
                             {"timed", use.timed},
                             {"median_s", finite(use.median_s)},
                             {"shortest", use.shortest},
                             {"longest", use.longest}});
    for (const WorkerTotals& worker : loop.per_worker)
        workers.push_back(
            {{"busy_s", finite(worker.busy_s)}, {"iterations", worker.iterations}, {"chunks", worker.chunks}});
    const double max_s = finite(loop.busy_max_s), mean_s = finite(loop.busy_mean_s);
    const TimeParts parts = time_parts(loop);
    return {{"name", loop.name},
            {"module", loop.module},
            {"offset_bytes", loop.offset},
            {"level", loop.over_ranks ? "ranks" : "threads"},
            {"workers", loop.workers},
            {"calls", loop.calls},
            {"untimed_calls", loop.untimed_calls},
            {"iterations", loop.iterations},
            {"untimed_iterations", loop.untimed_iterations},
            {"shortest", loop.shortest},
            {"longest", loop.longest},
            {"chunks", loop.chunks},
            {"time_s", finite(loop.time_s)},
            {"busy_max_s", max_s},
            {"busy_mean_s", mean_s},
            {"imbalance", mean_s > 0 ? max_s / mean_s - 1 : 0.0},
            {"lost", loop.time_s > 0 ? finite(parts.waiting_s / loop.time_s) : 0.0},
            {"work_s", finite(parts.work_s)},
            {"late_s", finite(loop.late_s)},
            {"borrowed_s", finite(loop.borrowed_s)},
            {"waiting_s", finite(parts.waiting_s)},
            {"scheduling_s", finite(loop.scheduling_s)},
            {"opening_s", finite(loop.opening_s)},
            {"closing_s", finite(loop.closing_s)},
            {"fallbacks", loop.fallbacks},
            {"static_fraction", loop.static_fraction},
            {"tuning", loop.tuning},
            {"tuned_schedule", loop.tuned_schedule},
            {"earlier_run", loop.earlier_run},
            {"schedules", std::move(schedules)},
            {"exploring_calls", loop.exploring_calls},
            {"exploring_cost_s", finite(loop.exploring_cost_s)},
            {"alternative", json_of(loop.alternative)},
            {"per_worker", std::move(workers)},
            {"slow_worker", json_of(loop.slow)},
            {"steals", json_of(loop.steals)}};
}

template <class T>
void read(const Json& json, const char* key, T& value) {
    try {
        json.at(key).get_to(value);
    } catch (const Json::exception&) {
        throw Error(ErrorCode::file, "the record's key \"" + std::string(key) + "\" is missing or of the wrong type",
                    "the file may be damaged, or written by another program");
    }
}

const Json& list(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array())
        throw Error(ErrorCode::file, "the record's list \"" + std::string(key) + "\" is missing");
    return *found;
}

/// A key that older records lack.
template <class T>
void read_if_there(const Json& json, const char* key, T& value) {
    if (json.contains(key)) read(json, key, value);
}

AlternativeUse alternative_from(const Json& json) {
    AlternativeUse other;
    if (!json.contains("alternative") || json["alternative"].is_null()) return other;
    const Json& item = json["alternative"];
    read(item, "schedule", other.schedule);
    read(item, "call_s", other.call_s);
    read(item, "ratio", other.ratio);
    read(item, "predicted", other.predicted);
    return other;
}

std::optional<StealFigures> steals_from(const Json& json) {
    if (!json.contains("steals") || json["steals"].is_null()) return std::nullopt;
    const Json& item = json["steals"];
    StealFigures steals;
    read(item, "own", steals.own);
    read(item, "stolen", steals.stolen);
    read(item, "given", steals.given);
    read(item, "attempts", steals.attempts);
    read(item, "successes", steals.successes);
    read(item, "bytes_in", steals.bytes_in);
    read(item, "bytes_out", steals.bytes_out);
    read(item, "waiting_s", steals.waiting_s);
    read(item, "ratio", steals.ratio);
    return steals;
}

LoopSummary loop_from(const Json& json) {
    LoopSummary loop;
    read(json, "name", loop.name);
    read(json, "module", loop.module);
    read(json, "offset_bytes", loop.offset);
    read(json, "workers", loop.workers);
    read(json, "calls", loop.calls);
    read(json, "iterations", loop.iterations);
    read(json, "chunks", loop.chunks);
    read(json, "time_s", loop.time_s);
    read(json, "busy_max_s", loop.busy_max_s);
    read(json, "busy_mean_s", loop.busy_mean_s);
    read(json, "scheduling_s", loop.scheduling_s);
    read(json, "fallbacks", loop.fallbacks);
    // Records of before there were static fractions, and later selectors, lack these.
    read_if_there(json, "static_fraction", loop.static_fraction);
    read_if_there(json, "tuning", loop.tuning);
    read_if_there(json, "tuned_schedule", loop.tuned_schedule);
    read_if_there(json, "earlier_run", loop.earlier_run);
    read_if_there(json, "exploring_calls", loop.exploring_calls);
    read_if_there(json, "opening_s", loop.opening_s);
    read_if_there(json, "closing_s", loop.closing_s);
    read_if_there(json, "exploring_cost_s", loop.exploring_cost_s);
    std::string level = "threads";
    read_if_there(json, "level", level);  // records of before there were loops over ranks lack it
    loop.over_ranks = level == "ranks";
    loop.steals = steals_from(json);
    // Records of before late threads were told apart: there time that no thread was in the loop is theirs.
    if (!loop.steals) loop.late_s = std::max(0.0, loop.time_s - loop.busy_max_s);
    read_if_there(json, "late_s", loop.late_s);
    read_if_there(json, "borrowed_s", loop.borrowed_s);
    read_if_there(json, "untimed_calls", loop.untimed_calls);
    read_if_there(json, "untimed_iterations", loop.untimed_iterations);
    read_if_there(json, "shortest", loop.shortest);
    read_if_there(json, "longest", loop.longest);
    loop.alternative = alternative_from(json);
    for (const Json& item : list(json, "schedules")) {
        ScheduleUse& use = loop.schedules.emplace_back();
        read(item, "schedule", use.schedule);
        read(item, "reason", use.reason);
        read(item, "calls", use.calls);
        read_if_there(item, "time_s", use.time_s);
        read_if_there(item, "exploring", use.exploring);
        read_if_there(item, "timed", use.timed);
        read_if_there(item, "median_s", use.median_s);
        read_if_there(item, "shortest", use.shortest);
        read_if_there(item, "longest", use.longest);
    }
    for (const Json& item : list(json, "per_worker")) {
        WorkerTotals& worker = loop.per_worker.emplace_back();
        read(item, "busy_s", worker.busy_s);
        read(item, "iterations", worker.iterations);
        read(item, "chunks", worker.chunks);
    }
    if (const auto slow = json.find("slow_worker"); slow != json.end() && slow->is_object()) {
        loop.slow.emplace();
        read(*slow, "worker", loop.slow->worker);
        read(*slow, "rate", loop.slow->rate);
        read(*slow, "processor", loop.slow->processor);
        read(*slow, "by_instructions", loop.slow->by_instructions);
    }
    return loop;
}

/// What placement says, with its words for people among it, so that a merged report can show them.
Json placement_of(const RunRecord& record) {
    Json json = parsed(record.placement);
    if (!json.is_object()) json = Json::object();
    json["text"] = record.placement_text;
    return json;
}

void placement_from(const Json& json, RunRecord& record) {
    const auto found = json.find("placement");
    if (found == json.end() || !found->is_object()) return;
    Json rest = *found;
    read_if_there(rest, "text", record.placement_text);
    rest.erase("text");
    record.placement = rest.dump();
}

Json json_of(const WaitingRecord& waiting) {
    Json paths = Json::array();
    for (const WaitingPath& path : waiting.paths)
        paths.push_back({{"call", path.call},
                         {"name", path.name},
                         {"module", path.module},
                         {"offset_bytes", path.offset},
                         {"calls", path.calls},
                         {"time_s", finite(path.time_s)},
                         {"waiting_s", finite(path.waiting_s)},
                         {"predicted_slack_s", finite(path.predicted_s)},
                         {"exact_calls", path.exact_calls},
                         {"seen_calls", path.seen_calls},
                         {"last_calls", path.last_calls},
                         {"last_rank", path.last_rank},
                         {"by_that_rank", path.by_that_rank}});
    return {{"window_s", finite(waiting.window_s)},
            {"mpi_s", finite(waiting.mpi_s)},
            {"waiting_s", finite(waiting.waiting_s)},
            {"transfer_s", finite(std::max(0.0, waiting.mpi_s - waiting.waiting_s))},
            {"asleep_s", finite(waiting.asleep_s)},
            {"calls", waiting.calls},
            {"sleeps", waiting.sleeps},
            {"paths", std::move(paths)}};
}

WaitingRecord waiting_from(const Json& json) {
    WaitingRecord waiting;
    read(json, "window_s", waiting.window_s);
    read(json, "mpi_s", waiting.mpi_s);
    read(json, "waiting_s", waiting.waiting_s);
    read(json, "asleep_s", waiting.asleep_s);
    read(json, "calls", waiting.calls);
    read(json, "sleeps", waiting.sleeps);
    for (const Json& item : list(json, "paths")) {
        WaitingPath& path = waiting.paths.emplace_back();
        read(item, "call", path.call);
        read(item, "name", path.name);
        read(item, "module", path.module);
        read(item, "offset_bytes", path.offset);
        read(item, "calls", path.calls);
        read(item, "time_s", path.time_s);
        read(item, "waiting_s", path.waiting_s);
        read(item, "predicted_slack_s", path.predicted_s);
        read(item, "exact_calls", path.exact_calls);
        read(item, "seen_calls", path.seen_calls);
        read(item, "last_calls", path.last_calls);
        read(item, "last_rank", path.last_rank);
        read(item, "by_that_rank", path.by_that_rank);
    }
    return waiting;
}

void check_version(const Json& json) {
    int version = 0;
    read(json, "schema_version", version);
    if (version != kSchemaVersion)
        throw Error(ErrorCode::file,
                    "the record has schema_version " + std::to_string(version) + ", this gimbal reads " +
                        std::to_string(kSchemaVersion),
                    "use the gimbal that wrote it");
}

}  // namespace

std::string to_json(const RunRecord& record) {
    Json options = Json::array(), loops = Json::array();
    for (const OptionUse& use : record.options)
        options.push_back({{"name", use.name}, {"value", use.value}, {"origin", use.origin}});
    for (const LoopSummary& loop : record.loops) loops.push_back(json_of(loop));
    Json json = {{"schema_version", kSchemaVersion},
                 {"gimbal_version", record.gimbal_version},
                 {"program", record.program},
                 {"host", record.host},
                 {"job", record.job},
                 {"launch", record.launch},
                 {"openmp", record.openmp},
                 {"pid", record.pid},
                 {"rank", record.rank},
                 {"ranks", record.ranks},
                 {"alone", record.alone},
                 {"started_s", finite(record.started_s)},
                 {"wall_s", finite(record.wall_s)},
                 {"dispatch_ns", finite(record.dispatch_ns)},
                 {"seed", record.seed},
                 {"cores_lent", record.cores_lent},
                 {"cache", record.cache},
                 {"partial", record.partial.empty() ? Json(nullptr) : Json(record.partial)},
                 {"options", std::move(options)},
                 {"warnings", record.warnings},
                 {"loops", std::move(loops)}};
    if (!record.program_schedule.empty()) json["omp_set_schedule"] = record.program_schedule;
    if (!record.placement.empty()) json["placement"] = placement_of(record);
    if (record.waiting) json["mpi_waiting"] = json_of(*record.waiting);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunRecord from_json(std::string_view text) {
    const Json json = parsed(text);
    if (json.is_discarded() || !json.is_object()) throw Error(ErrorCode::file, "the record is not a JSON object");
    check_version(json);
    RunRecord record;
    read(json, "gimbal_version", record.gimbal_version);
    read(json, "program", record.program);
    read(json, "host", record.host);
    read(json, "job", record.job);
    read_if_there(json, "launch", record.launch);  // records of before jobs were told apart lack these two
    read_if_there(json, "started_s", record.started_s);
    read(json, "openmp", record.openmp);
    read(json, "pid", record.pid);
    read(json, "rank", record.rank);
    read(json, "ranks", record.ranks);
    read_if_there(json, "alone", record.alone);  // records of before this was asked lack it
    read(json, "wall_s", record.wall_s);
    read(json, "dispatch_ns", record.dispatch_ns);
    read(json, "seed", record.seed);
    read_if_there(json, "cores_lent", record.cores_lent);  // records of before cores were lent lack it
    read_if_there(json, "cache", record.cache);            // and those of before anything was kept this
    read_if_there(json, "omp_set_schedule", record.program_schedule);
    if (json.contains("partial") && !json["partial"].is_null()) read(json, "partial", record.partial);
    read(json, "warnings", record.warnings);
    for (const Json& item : list(json, "options")) {
        OptionUse& use = record.options.emplace_back();
        read(item, "name", use.name);
        read(item, "value", use.value);
        read(item, "origin", use.origin);
    }
    for (const Json& item : list(json, "loops")) record.loops.push_back(loop_from(item));
    placement_from(json, record);
    if (json.contains("mpi_waiting") && json["mpi_waiting"].is_object())
        record.waiting = waiting_from(json["mpi_waiting"]);
    return record;
}

}  // namespace gimbal
