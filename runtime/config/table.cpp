// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/table.hpp"

#include <algorithm>
#include <array>

#include "base/spelling.hpp"
#include "config/pin_rows.hpp"
#include "config/rank_rows.hpp"
#include "config/selection_rows.hpp"

namespace gimbal {

namespace {

constexpr std::array<std::string_view, 3> kReportLevels = {"off", "summary", "full"};
constexpr std::array<std::string_view, 2> kFractionForms = {"exact", "paper"};
constexpr std::array<std::string_view, 2> kDelayForms = {"derived", "seed"};
constexpr std::array<std::string_view, 2> kSlackForms = {"tight", "paper"};

ReportLevel report_level(const std::string& word) {
    if (word == "off") return ReportLevel::off;
    return word == "full" ? ReportLevel::full : ReportLevel::summary;
}

// Named initialisers leave out what does not apply; the last column binds the row to its field.
constexpr auto kGeneral = std::to_array<OptionSpec>({
    {.name = "GIMBAL_SCHEDULE",
     .type = OptionType::schedule,
     .fallback = "runtime",
     .level = "thread",
     .flag = "--schedule",
     .doc = "Technique, and after a comma its chunk or static fraction, for schedule(runtime) loops, with OMP_SCHEDULE "
            "not set or `runtime`; or a selector; `runtime` lets GIMBAL_SELECT choose.",
     .set = [](Options& o, const OptionValue& v) { o.schedule = std::get<ScheduleSpec>(v); }},
    {.name = "GIMBAL_LOOPS",
     .type = OptionType::loops,
     .level = "thread, rank",
     .flag = "--loops",
     .doc = "Schedules of single loops, of threads or over ranks, before all other schedules; takes dynamic and guided "
            "loops that it names, too.",
     .set = [](Options& o, const OptionValue& v) { o.loops = std::get<std::vector<LoopRule>>(v); }},
    {.name = "GIMBAL_REPORT",
     .type = OptionType::choice,
     .fallback = "summary",
     .choices = kReportLevels,
     .level = "all",
     .flag = "--report",
     .doc = "How much to say at exit; `full` adds every thread and every setting.",
     .set = [](Options& o, const OptionValue& v) { o.report = report_level(std::get<std::string>(v)); }},
    {.name = "GIMBAL_OUTPUT",
     .type = OptionType::pattern,
     .level = "all",
     .flag = "--output",
     .doc = "File for the JSON record; %j job, %r rank, %p process, %h host, %% a per cent sign.",
     .set = [](Options& o, const OptionValue& v) { o.output = std::get<std::string>(v); }},
    {.name = "GIMBAL_TRACE",
     .type = OptionType::pattern,
     .level = "all",
     .flag = "--trace",
     .doc = "File for a trace of loops, chunks and waiting, for ui.perfetto.dev; placeholders as in GIMBAL_OUTPUT. "
            "Files of several ranks are put together with `cat`.",
     .set = [](Options& o, const OptionValue& v) { o.trace = std::get<std::string>(v); }},
    {.name = "GIMBAL_TRACE_EVERY",
     .type = OptionType::integer,
     .fallback = "1",
     .low = 0,
     .high = 1e9,
     .level = "thread",
     .flag = "--trace-every",
     .doc = "Every so many-th chunk of a thread stands in the trace; 0: no chunk does.",
     .set = [](Options& o,
               const OptionValue& v) { o.trace_every = static_cast<std::uint32_t>(std::get<std::int64_t>(v)); }},
    {.name = "GIMBAL_TRACE_LIMIT",
     .type = OptionType::integer,
     .fallback = "1024",
     .low = 1,
     .high = 1048576,
     .level = "all",
     .doc = "What a process may record for its trace, in MiB of its disk; a chunk takes 16 bytes. What does not fit is "
            "counted.",
     .set = [](Options& o,
               const OptionValue& v) { o.trace_limit = static_cast<std::uint64_t>(std::get<std::int64_t>(v)) << 20U; }},
    {.name = "GIMBAL_CONFIG",
     .type = OptionType::path,
     .level = "all",
     .flag = "--config",
     .doc = "TOML file with settings; its keys are these names in lower case without GIMBAL_.",
     .set = [](Options& o, const OptionValue& v) { o.config = std::get<std::string>(v); }},
    {.name = "GIMBAL_STRICT",
     .type = OptionType::boolean,
     .fallback = "on",
     .level = "all",
     .doc = "Whether a wrong setting keeps Gimbal out (`gimbal run` does not start the program); if off, its default "
            "is used.",
     .set = [](Options& o, const OptionValue& v) { o.strict = std::get<bool>(v); }},
    {.name = "GIMBAL_SEED",
     .type = OptionType::integer,
     .fallback = "42",
     .low = 0,
     .high = 9007199254740992.0,
     .level = "all",
     .doc = "Seed of everything that draws random numbers.",
     .set = [](Options& o, const OptionValue& v) { o.seed = static_cast<std::uint64_t>(std::get<std::int64_t>(v)); }},
    {.name = "GIMBAL_WEIGHTS",
     .type = OptionType::reals,
     .low = 0,
     .high = 1e9,
     .low_open = true,
     .level = "thread",
     .doc = "Relative speed of each thread for wf2, in the order of thread numbers; not set: all equal.",
     .set = [](Options& o, const OptionValue& v) { o.weights = std::get<std::vector<double>>(v); }},
    {.name = "GIMBAL_LOOP_STATS",
     .type = OptionType::path,
     .level = "thread",
     .doc = "File of loop statistics for fsc, fac, tap and bold; read if it exists, written at exit.",
     .set = [](Options& o, const OptionValue& v) { o.loop_stats = std::get<std::string>(v); }},
    {.name = "GIMBAL_CACHE",
     .type = OptionType::path,
     .level = "thread",
     .flag = "--cache",
     .doc = "Folder in which what the default selector has learnt is kept for the next run, or `off`; not set: gimbal "
            "in XDG_CACHE_HOME, else in ~/.cache.",
     .set = [](Options& o, const OptionValue& v) { o.cache = std::get<std::string>(v); }},
    {.name = "GIMBAL_WORKERS_PER_QUEUE",
     .type = OptionType::integer,
     .fallback = "1",
     .low = 1,
     .high = 65536,
     .level = "thread",
     .doc = "How many threads share one queue under lws-steal and vsched.",
     .set = [](Options& o,
               const OptionValue& v) { o.workers_per_queue = static_cast<std::uint32_t>(std::get<std::int64_t>(v)); }},
    {.name = "GIMBAL_LEND",
     .type = OptionType::boolean,
     .fallback = "on",
     .level = "thread",
     .doc = "Whether a thread that waits for others lends its core to one of them that has none. That something else "
            "uses the cores is noticed without it, too.",
     .set = [](Options& o, const OptionValue& v) { o.lend = std::get<bool>(v); }},
    {.name = "GIMBAL_RANK_THREADS",
     .type = OptionType::integer,
     .fallback = "0",
     .low = 0,
     .high = 65536,
     .level = "all",
     .doc = "With GIMBAL_ELASTIC: threads of a rank that have cores of its own, and so what OMP_NUM_THREADS is. 0: no "
            "core "
            "is borrowed. `gimbal run --elastic` sets both from -t.",
     .set = [](Options& o,
               const OptionValue& v) { o.rank_threads = static_cast<std::uint32_t>(std::get<std::int64_t>(v)); }},
    {.name = "GIMBAL_FRACTION_FORM",
     .type = OptionType::choice,
     .fallback = "exact",
     .choices = kFractionForms,
     .level = "thread",
     .doc = "Static fraction of usched, vsched, lws-noise and lws-imbalance: formula 2 as published, or exact.",
     .set = [](Options& o, const OptionValue& v) { o.paper_fraction = std::get<std::string>(v) == "paper"; }},
    {.name = "GIMBAL_DELAY_FORM",
     .type = OptionType::choice,
     .fallback = "derived",
     .choices = kDelayForms,
     .level = "thread",
     .doc = "Imbalance of the loop itself in these: static minus dynamic time, plus the dispatch overhead (derived) or "
            "minus it (seed: as first written down).",
     .set = [](Options& o, const OptionValue& v) { o.seed_delay = std::get<std::string>(v) == "seed"; }},
    {.name = "GIMBAL_SLACK_FORM",
     .type = OptionType::choice,
     .fallback = "tight",
     .choices = kSlackForms,
     .level = "thread",
     .doc = "How slack of a collective raises the static fraction of usched and vsched: as published, or tight.",
     .set = [](Options& o, const OptionValue& v) { o.paper_slack = std::get<std::string>(v) == "paper"; }},
    {.name = "GIMBAL_DISPLAY",
     .type = OptionType::boolean,
     .fallback = "off",
     .level = "all",
     .doc = "Print the effective settings at start (rank 0 only).",
     .set = [](Options& o, const OptionValue& v) { o.display = std::get<bool>(v); }},
    {.name = "GIMBAL_PYTHON",
     .type = OptionType::text,
     .level = "all",
     .doc = "The Python that `gimbal campaign` uses; programs do not.",
     .hidden = true,
     .set = [](Options&, const OptionValue&) {}},
    {.name = "GIMBAL_SAID",
     .type = OptionType::text,
     .level = "all",
     .doc = "Set by Gimbal: which wrong setting a parent process has complained about.",
     .hidden = true,
     .set = [](Options&, const OptionValue&) {}},
    {.name = "GIMBAL_JOB",
     .type = OptionType::text,
     .level = "all",
     .doc = "What `gimbal run` calls a run that no batch system has given a number.",
     .hidden = true,
     .set = [](Options&, const OptionValue&) {}},
    {.name = "GIMBAL_RUN_DIR",
     .type = OptionType::text,
     .level = "all",
     .doc = "Folder in which `gimbal run` collects the records of all processes.",
     .hidden = true,
     .set = [](Options& o, const OptionValue& v) { o.run_dir = std::get<std::string>(v); }},
});

/// All parts, in the order of the documentation.
constexpr auto joined() {
    std::array<OptionSpec,
               kGeneral.size() + rank_rows::kRows.size() + pin_rows::kRows.size() + selection_rows::kRows.size()>
        all;
    auto end = std::copy(kGeneral.begin(), kGeneral.end(), all.begin());
    end = std::copy(rank_rows::kRows.begin(), rank_rows::kRows.end(), end);
    end = std::copy(pin_rows::kRows.begin(), pin_rows::kRows.end(), end);
    std::copy(selection_rows::kRows.begin(), selection_rows::kRows.end(), end);
    return all;
}

constexpr auto kTable = joined();

constexpr std::string_view kPrefix = "GIMBAL_";

}  // namespace

std::span<const OptionSpec> option_table() noexcept {
    return kTable;
}

std::string key_of(const OptionSpec& spec) {
    return to_lower(spec.name.substr(kPrefix.size()));
}

const OptionSpec* find_option(std::string_view name, std::span<const OptionSpec> table) {
    for (const OptionSpec& spec : table) {
        if (name == spec.name || to_lower(name) == key_of(spec) || (!spec.flag.empty() && name == spec.flag))
            return &spec;
        if (std::find(spec.aliases.begin(), spec.aliases.end(), name) != spec.aliases.end()) return &spec;
    }
    return nullptr;
}

Levels levels_of(std::string_view name) noexcept {
    if (name.starts_with("KMP_")) return Levels::threads;
    return name.starts_with("LB4MPI_") || name.starts_with("MPI_") ? Levels::ranks : Levels::both;
}

void put(const OptionSpec& spec, Levels levels, const OptionValue& value, Options& options) {
    if (!spec.select) {
        spec.set(options, value);
        return;
    }
    if (levels != Levels::ranks) spec.select(options.select, value);
    if (levels != Levels::threads) spec.select(options.select_ranks, value);
}

std::size_t alias_place(std::string_view name) {
    for (const OptionSpec& spec : kTable)
        for (std::size_t i = 0; i < spec.aliases.size(); ++i)
            if (name == spec.aliases[i]) return i + 1;
    return 0;
}

}  // namespace gimbal
