// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/run_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gimbal/error.hpp"
#include "report/json_numbers.hpp"
#include "report/json_text.hpp"
#include "report/metrics.hpp"

namespace gimbal {

namespace {

// Keys stay in the order in which they are written: a record is read by people too.
using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr double kRounding_s = 1e-3;  // by which a sum of times may be below 0
constexpr std::uint32_t kMaxWorkers = std::uint32_t{1} << 20;
constexpr int kMaxRanks = 1 << 24;

[[noreturn]] void refuse(const char* key) {
    throw Error(ErrorCode::file, "the record's key \"" + std::string(key) + "\" is missing or of the wrong type",
                "the file may be damaged, or written by another program");
}

/// Writes what keys() lists.
struct Writer {
    static constexpr bool kReads = false;
    Json json = Json::object();

    template <class T>
    void key(const char* name, const T& value) {
        if constexpr (std::is_floating_point_v<T>)
            json[name] = finite(value);
        else
            json[name] = value;
    }
    template <class T>
    void newer(const char* name, const T& value) {
        key(name, value);
    }
    void sum(const char* name, double value) { key(name, value); }
    void newer_sum(const char* name, double value) { key(name, value); }
    /// For readers of the file: it follows from the other keys, and is not read back.
    template <class T>
    void shown(const char* name, const T& value) {
        key(name, value);
    }
    template <class T>
    void list(const char* name, const std::vector<T>& items) {
        json[name] = Json::array();
        for (const T& item : items) json[name].push_back(written(item));
    }
    /// null where it is empty.
    void word(const char* name, const std::string& text) { json[name] = text.empty() ? Json(nullptr) : Json(text); }
    /// null where there is none.
    template <class T>
    void object(const char* name, const std::optional<T>& item) {
        json[name] = item ? written(*item) : Json(nullptr);
    }
    template <class T>
    static Json written(const T& item) {
        Writer inner;
        keys(inner, item);
        return std::move(inner.json);
    }
};

/// Reads what keys() lists.
/// @errors gimbal::Error(file)
struct Reader {
    static constexpr bool kReads = true;
    const Json& json;

    template <class T>
    void key(const char* name, T& value) {
        const auto found = json.find(name);
        if (found == json.end() || !fits<T>(*found)) refuse(name);
        try {
            found->get_to(value);
        } catch (const Json::exception&) {
            refuse(name);
        }
    }
    /// A sum of times, which is not negative.
    void sum(const char* name, double& value) {
        key(name, value);
        if (value < -kRounding_s) refuse(name);
    }
    void newer_sum(const char* name, double& value) {
        if (json.contains(name)) sum(name, value);
    }
    /// A key that older records lack.
    template <class T>
    void newer(const char* name, T& value) {
        if (json.contains(name)) key(name, value);
    }
    template <class T>
    void shown(const char*, const T&) {}
    template <class T>
    void list(const char* name, std::vector<T>& items) {
        const auto found = json.find(name);
        if (found == json.end() || !found->is_array())
            throw Error(ErrorCode::file, "the record's list \"" + std::string(name) + "\" is missing");
        for (const Json& item : *found) {
            Reader inner{item};
            keys(inner, items.emplace_back());
        }
    }
    void word(const char* name, std::string& text) {
        if (json.contains(name) && !json[name].is_null()) key(name, text);
    }
    template <class T>
    void object(const char* name, std::optional<T>& item) {
        const auto found = json.find(name);
        if (found == json.end() || found->is_null()) return;
        Reader inner{*found};
        keys(inner, item.emplace());
    }
};

/// What keys() is given: to read it, or to write it.
template <class Io, class T>
using Of = std::conditional_t<Io::kReads, T, const T>;

template <class Io>
void keys(Io& io, Of<Io, AlternativeUse>& other) {
    io.key("schedule", other.schedule);
    io.key("call_s", other.call_s);
    io.key("ratio", other.ratio);
    io.key("predicted", other.predicted);
    io.newer("calls", other.calls);
    io.newer("error", other.error);
}

template <class Io>
void keys(Io& io, Of<Io, StealFigures>& steals) {
    io.key("own", steals.own);
    io.key("stolen", steals.stolen);
    io.key("given", steals.given);
    io.key("attempts", steals.attempts);
    io.key("successes", steals.successes);
    io.key("bytes_in", steals.bytes_in);
    io.key("bytes_out", steals.bytes_out);
    io.key("waiting_s", steals.waiting_s);
    io.key("ratio", steals.ratio);
}

template <class Io>
void keys(Io& io, Of<Io, ScheduleUse>& use) {
    io.key("schedule", use.schedule);
    io.key("reason", use.reason);
    io.key("calls", use.calls);
    io.newer_sum("time_s", use.time_s);
    io.newer("exploring", use.exploring);
    io.newer("timed", use.timed);
    io.newer("median_s", use.median_s);
    io.newer("median_error_s", use.median_error_s);
    io.newer("shortest", use.shortest);
    io.newer("longest", use.longest);
}

template <class Io>
void keys(Io& io, Of<Io, WorkerTotals>& worker) {
    io.sum("busy_s", worker.busy_s);
    io.key("iterations", worker.iterations);
    io.key("chunks", worker.chunks);
}

template <class Io>
void keys(Io& io, Of<Io, SlowWorker>& slow) {
    io.key("worker", slow.worker);
    io.key("rate", slow.rate);
    io.key("processor", slow.processor);
    io.key("by_instructions", slow.by_instructions);
}

/// Which loop it is.
template <class Io, class Loop>
void place_keys(Io& io, Loop& loop) {
    io.key("name", loop.name);
    io.word("template_name", loop.template_name);
    io.key("module", loop.module);
    io.key("offset_bytes", loop.offset);
    io.newer("function_offset_bytes", loop.function);
    io.newer("build", loop.build);
    std::string level = loop.over_ranks ? "ranks" : "threads";
    io.newer("level", level);  // records of before there were loops over ranks lack it
    io.key("workers", loop.workers);
    if constexpr (Io::kReads) {
        if (loop.workers > kMaxWorkers) refuse("workers");
        loop.over_ranks = level == "ranks";
    }
}

template <class Io>
void keys(Io& io, Of<Io, LoopSummary>& loop) {
    place_keys(io, loop);
    io.newer("name_in_steps", loop.name_in_steps);
    io.key("calls", loop.calls);
    io.newer("untimed_calls", loop.untimed_calls);
    io.key("iterations", loop.iterations);
    io.newer("untimed_iterations", loop.untimed_iterations);
    io.newer("shortest", loop.shortest);
    io.newer("longest", loop.longest);
    io.key("chunks", loop.chunks);
    io.sum("time_s", loop.time_s);
    io.newer("passed_s", loop.passed_s);
    io.sum("busy_max_s", loop.busy_max_s);
    io.sum("busy_mean_s", loop.busy_mean_s);
    const double max_s = finite(loop.busy_max_s), mean_s = finite(loop.busy_mean_s);
    const TimeParts parts = time_parts(loop);
    io.shown("imbalance", mean_s > 0 ? max_s / mean_s - 1 : 0.0);
    io.shown("lost", loop.time_s > 0 ? parts.waiting_s / loop.time_s : 0.0);
    io.shown("work_s", parts.work_s);
    io.newer_sum("late_s", loop.late_s);
    io.newer("borrowed_s", loop.borrowed_s);
    io.shown("waiting_s", parts.waiting_s);
    io.sum("scheduling_s", loop.scheduling_s);
    io.newer("opening_s", loop.opening_s);
    io.newer("closing_s", loop.closing_s);
    io.key("fallbacks", loop.fallbacks);
    // Records of before there were static fractions, and later selectors, lack these.
    io.newer("static_fraction", loop.static_fraction);
    io.newer("tuning", loop.tuning);
    io.newer("tuned_schedule", loop.tuned_schedule);
    io.newer("earlier_run", loop.earlier_run);
    io.list("schedules", loop.schedules);
    io.newer("exploring_calls", loop.exploring_calls);
    io.newer("exploring_cost_s", loop.exploring_cost_s);
    std::optional<AlternativeUse> other;
    if (!loop.alternative.schedule.empty()) other = loop.alternative;
    io.object("alternative", other);
    io.list("per_worker", loop.per_worker);
    io.object("slow_worker", loop.slow);
    io.object("steals", loop.steals);
    if constexpr (Io::kReads) {
        if (other) loop.alternative = *other;
        // Records of before late threads were told apart: there time that no thread was in the loop is theirs.
        if (!loop.steals && !io.json.contains("late_s")) loop.late_s = std::max(0.0, loop.time_s - loop.busy_max_s);
    }
}

template <class Io>
void keys(Io& io, Of<Io, UnfinishedLoop>& loop) {
    place_keys(io, loop);
    io.sum("time_s", loop.time_s);
}

template <class Io>
void keys(Io& io, Of<Io, WaitingPath>& path) {
    io.key("call", path.call);
    io.key("name", path.name);
    io.key("module", path.module);
    io.key("offset_bytes", path.offset);
    io.key("calls", path.calls);
    io.sum("time_s", path.time_s);
    io.sum("waiting_s", path.waiting_s);
    io.key("predicted_slack_s", path.predicted_s);
    io.key("exact_calls", path.exact_calls);
    io.key("seen_calls", path.seen_calls);
    io.key("last_calls", path.last_calls);
    io.key("last_rank", path.last_rank);
    io.key("by_that_rank", path.by_that_rank);
}

template <class Io>
void keys(Io& io, Of<Io, WaitingRecord>& waiting) {
    io.sum("window_s", waiting.window_s);
    io.sum("mpi_s", waiting.mpi_s);
    io.sum("waiting_s", waiting.waiting_s);
    io.shown("transfer_s", std::max(0.0, waiting.mpi_s - waiting.waiting_s));
    io.key("asleep_s", waiting.asleep_s);
    io.key("calls", waiting.calls);
    io.key("sleeps", waiting.sleeps);
    io.list("paths", waiting.paths);
}

template <class Io>
void keys(Io& io, Of<Io, Setting>& use) {
    io.key("name", use.name);
    io.key("value", use.value);
    io.key("origin", use.origin);
}

constexpr std::array<std::string_view, 6> kOpenmpUses = {"",        "nothing",       "asked",
                                                         "regions", "dynamic loops", "runtime loops"};

constexpr std::array<std::string_view, 4> kMpiHere = {"", "none", "unwatched", "watched"};

/// One of `words`, by its number; the first stands for a word that is none of them, and for none at all.
template <class Io, std::size_t kCount, class Word>
void word_of(Io& io, const char* name, const std::array<std::string_view, kCount>& words, Word& value) {
    std::string text(words[static_cast<std::size_t>(value)]);
    io.word(name, text);
    if constexpr (Io::kReads) {
        const auto* const found = std::find(words.begin(), words.end(), text);
        value = static_cast<std::remove_const_t<Word>>(found == words.end() ? 0 : found - words.begin());
    }
}

/// Without what is left out where there is none.
template <class Io>
void keys(Io& io, Of<Io, RunRecord>& record) {
    io.key("gimbal_version", record.gimbal_version);
    io.key("program", record.program);
    io.key("host", record.host);
    io.key("job", record.job);
    io.newer("launch", record.launch);  // records of before jobs were told apart lack it, and when they started
    io.key("openmp", record.openmp);
    word_of(io, "openmp_use", kOpenmpUses, record.openmp_use);
    io.key("pid", record.pid);
    io.key("rank", record.rank);
    io.key("ranks", record.ranks);
    if constexpr (Io::kReads) {
        if (record.rank < 0 || record.rank >= kMaxRanks) refuse("rank");
        if (record.ranks < 1 || record.ranks > kMaxRanks) refuse("ranks");
    }
    io.newer("alone", record.alone);
    word_of(io, "mpi", kMpiHere, record.mpi);
    io.newer("started_s", record.started_s);
    io.sum("wall_s", record.wall_s);
    io.key("dispatch_ns", record.dispatch_ns);
    io.key("seed", record.seed);
    io.newer("cores_lent", record.cores_lent);
    io.newer("regions_with_numbers", record.regions_with_numbers);
    io.newer("cache", record.cache);
    io.word("partial", record.partial);
    io.list("options", record.options);
    io.key("warnings", record.warnings);
    io.list("loops", record.loops);
}

/// What placement says, with its words for people among it, so that a merged report can show them.
Json placement_of(const RunRecord& record) {
    Json json = json_of(record.placement);
    if (!json.is_object()) json = Json::object();
    json["text"] = record.placement_text;
    return json;
}

void placement_from(const Json& json, RunRecord& record) {
    const auto found = json.find("placement");
    if (found == json.end() || !found->is_object()) return;
    Json rest = *found;
    Reader{rest}.newer("text", record.placement_text);
    rest.erase("text");
    record.placement = rest.dump();
}

void check_version(const Json& json) {
    int version = 0;
    Reader{json}.key("schema_version", version);
    if (version != kSchemaVersion)
        throw Error(ErrorCode::file,
                    "the record has schema_version " + std::to_string(version) + ", this gimbal reads " +
                        std::to_string(kSchemaVersion),
                    "use the gimbal that wrote it");
}

}  // namespace

std::string to_json(const RunRecord& record) {
    Writer io;
    io.key("schema_version", kSchemaVersion);
    keys(io, record);
    Json& json = io.json;
    if (!record.program_schedule.empty()) json["omp_set_schedule"] = record.program_schedule;
    if (!record.placement.empty()) json["placement"] = placement_of(record);
    if (!record.unfinished.empty()) io.list("unfinished", record.unfinished);
    if (record.waiting) io.object("mpi_waiting", record.waiting);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunRecord from_json(std::string_view text) {
    const Json json = json_of(text);
    if (json.is_discarded() || !json.is_object()) throw Error(ErrorCode::file, "the record is not a JSON object");
    check_version(json);
    RunRecord record;
    Reader io{json};
    keys(io, record);
    io.newer("omp_set_schedule", record.program_schedule);
    placement_from(json, record);
    if (json.contains("unfinished")) io.list("unfinished", record.unfinished);
    io.object("mpi_waiting", record.waiting);
    return record;
}

}  // namespace gimbal
