// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "config/pin_words.hpp"
#include "config/table.hpp"

// The part of the option table that is about placement. Lists of processors are kept as written: libgimbal_pin.so,
// which knows machines, judges them when it is loaded.

namespace gimbal::pin_rows {

inline constexpr std::array<std::string_view, 4> kModes = {"off", "learn", "observe", "static"};
inline constexpr std::array<std::string_view, 6> kMetrics = {"auto", "papi", "papi-inside", "perf", "progress", "cpu"};

inline constexpr std::array<OptionSpec, 10> kRows = {{
    {.name = "GIMBAL_PIN",
     .type = OptionType::choice,
     .fallback = "off",
     .choices = kModes,
     .level = "placement",
     .flag = "--pin",
     .doc = "Whether threads are given cores: learnt from their speeds, once in order, or only looked at.",
     .set = [](Options& o, const OptionValue& v) { o.pin.mode = std::get<std::string>(v); }},
    {.name = "GIMBAL_PIN_GROUP",
     .type = OptionType::integer,
     .fallback = "1",
     .low = 1,
     .high = 4096,
     .level = "placement",
     .flag = "--pin-group",
     .doc = "How many cores a thread is given at most, fewer where those of a node do not divide evenly; the operating "
            "system moves it among them.",
     .set = [](Options& o,
               const OptionValue& v) { o.pin.group = static_cast<std::uint32_t>(std::get<std::int64_t>(v)); }},
    {.name = "GIMBAL_PIN_PERIOD",
     .type = OptionType::real,
     .fallback = "0.2",
     .low = 0.01,
     .high = 3600,
     .level = "placement",
     .doc = "Seconds between two looks at the threads.",
     .set = [](Options& o, const OptionValue& v) { o.pin.period_s = std::get<double>(v); }},
    {.name = "GIMBAL_PIN_NODES",
     .type = OptionType::text,
     .level = "placement",
     .doc = "Nodes of your own, as lists of processors with ; between them: 0-7;8-15.",
     .set = [](Options& o, const OptionValue& v) { o.pin.nodes = std::get<std::string>(v); }},
    {.name = "GIMBAL_PIN_RESERVE",
     .type = OptionType::text,
     .level = "placement",
     .doc = "Processors that no thread is given: 0,8.",
     .set = [](Options& o, const OptionValue& v) { o.pin.reserve = std::get<std::string>(v); }},
    {.name = "GIMBAL_PIN_FORCE",
     .type = OptionType::boolean,
     .fallback = "off",
     .level = "placement",
     .doc = "Place threads also where OMP_PROC_BIND, GOMP_CPU_AFFINITY, KMP_AFFINITY, taskset or the MPI launcher has "
            "bound them.",
     .set = [](Options& o, const OptionValue& v) { o.pin.force = std::get<bool>(v); }},
    {.name = "GIMBAL_PIN_METRIC",
     .type = OptionType::choice,
     .fallback = "auto",
     .choices = kMetrics,
     .level = "placement",
     .doc = "What a thread's speed is: instructions (papi, papi-inside, perf), the program's own count, or processor "
            "time; auto: the best that works here.",
     .set = [](Options& o, const OptionValue& v) { o.pin.metric = std::get<std::string>(v); }},
    {.name = "GIMBAL_PIN_TRACE",
     .type = OptionType::pattern,
     .level = "placement",
     .doc = "File for every decision: JSON lines if its name ends with .json or .jsonl, else CSV; placeholders as in "
            "GIMBAL_OUTPUT.",
     .set = [](Options& o, const OptionValue& v) { o.pin.trace = std::get<std::string>(v); }},
    {.name = "GIMBAL_PIN_SETTINGS",
     .type = OptionType::pin_settings,
     .level = "placement",
     .doc = "How it is learnt.",
     .set = [](Options& o, const OptionValue& v) { o.pin.learning = read_pin_words(std::get<std::string>(v)); }},
    {.name = "GIMBAL_PIN_SHARE",
     .type = OptionType::boolean,
     .fallback = "on",
     .level = "placement",
     .doc = "Whether processes of one user tell each other through shared memory whom they placed where.",
     .set = [](Options& o, const OptionValue& v) { o.pin.share = std::get<bool>(v); }},
}};

inline constexpr double kTiny = 1e-6;
inline constexpr double kMany = 1e6;

/// One name of GIMBAL_PIN_SETTINGS: a number or a switch. @param text  its default
template <auto Member>
constexpr OptionSpec row(std::string_view name, std::string_view text, double low, double high, std::string_view doc) {
    using Type = std::remove_cvref_t<decltype(pin::Settings().*Member)>;
    using Read = std::conditional_t<std::is_same_v<Type, std::size_t>, std::int64_t, Type>;
    return {
        .name = name,
        .type = std::is_same_v<Type, bool>     ? OptionType::boolean
                : std::is_same_v<Type, double> ? OptionType::real
                                               : OptionType::integer,
        .fallback = text,
        .low = low,
        .high = high,
        .doc = doc,
        .set = [](Options& o, const OptionValue& v) { o.pin.learning.*Member = static_cast<Type>(std::get<Read>(v)); }};
}

using S = pin::Settings;

inline constexpr auto kNumbers = std::to_array<OptionSpec>({
    row<&S::group>("GROUP", "1", 1, 4096, "Most cores that a thread gets [count]; GIMBAL_PIN_GROUP comes first."),
    row<&S::zeta>("ZETA", "0.5", 0, 1, "Share of the threads that a node must exceed before memory is bound to it."),
    {.name = "MEMORY_PERIOD",
     .type = OptionType::integer,
     .fallback = "10",
     .low = 1,
     .high = kMany,
     .doc = "Between decisions over memory [samples].",
     .set =
         [](Options& o, const OptionValue& v) {
             o.pin.learning.numa_memory.period = static_cast<std::size_t>(std::get<std::int64_t>(v));
         }},
    row<&S::memory_dwell>("MEMORY_DWELL", "20", 0, kMany, "Least time between moves of a thread's memory [samples]."),
    row<&S::memory_moves>("MEMORY_MOVES", "4", 0, kMany, "Most moves of a thread's memory per minute [count]; 0: any."),
    row<&S::gamma>("GAMMA", "0.5", 0, 100, "Weight of deviations from the mean speed under BALANCED."),
    row<&S::rl_step>("RL_STEP", "0.3", kTiny, 1, "Step of the strategies of RL and APLA."),
    row<&S::rl_lambda>("RL_LAMBDA", "0.01", 0, 1, "Probability that RL tries any choice."),
    row<&S::apla_floor>("APLA_FLOOR", "0.1", kTiny, 1, "Least share of a step that APLA makes."),
    row<&S::apla_range>("APLA_RANGE", "0.5", kTiny, 1, "Fall below the aspiration at which that share is reached."),
    row<&S::mean_step>("MEAN_STEP", "0.1", kTiny, 1, "Step of the running mean of a thread's speed."),
    row<&S::al_eta>("AL_ETA", "1.25", 1 + kTiny, 100, "Upper over lower benchmark of AL."),
    row<&S::al_margin>("AL_MARGIN", "0.05", 0, 0.99, "Room below the mean after a drop."),
    row<&S::al_lambda>("AL_LAMBDA", "0.01", 0, 1, "Probability that AL tries another choice."),
    row<&S::al_dwell>("AL_DWELL", "20", 0, kMany, "Least time between moves of a thread [samples]."),
    row<&S::al_moves>("AL_MOVES", "12", 0, kMany, "Most moves of a thread per minute [count]; 0: any."),
    row<&S::al_directed>("AL_DIRECTED", "1", 0, 1, "After a drop only where more is expected, or nothing known."),
    row<&S::al_seek>("AL_SEEK", "0.2", 0, 1, "Probability to go where clearly more is expected."),
    row<&S::share>("SHARE", "1", 0, 1, "Threads tell each other what they earn where."),
    row<&S::memory>("MEMORY", "50", 1, kMany, "What was seen of a choice is forgotten after this [samples]."),
    row<&S::team>("TEAM", "1", 0, 1, "Threads go where all together gain."),
    row<&S::rotate>("ROTATE", "1", 0, 1, "Threads on fast and slow cores change places."),
    row<&S::al_reset>("AL_RESET", "0", 0, 1, "Forget mean and benchmarks at every move."),
    row<&S::crowd>("CROWD", "2", 0, 100, "How much exploring avoids crowded choices; 0: not at all."),
    row<&S::reshuffle>("RESHUFFLE", "0", 0, 1, "A new node's strategy starts uniform."),
    row<&S::sure>("SURE", "0.98", 0, 1, "Weight of the first placement in a strategy that is not uniform."),
    row<&S::guard>("GUARD", "1", 0, 1, "Compare with the operating system and let go when it wins."),
    row<&S::guard_window>("GUARD_WINDOW", "10", 2, kMany, "One comparison [samples]."),
    row<&S::guard_trial>("GUARD_TRIAL", "4", 1, kMany, "Windows that learning gets to be ahead [count]."),
    row<&S::guard_rest>("GUARD_REST", "8", 1, kMany, "First pause after letting go [windows]."),
    row<&S::guard_gain>("GUARD_GAIN", "0.01", 0, 1, "What learning must gain over the operating system, as a share."),
});

/// In the order of pin::Level from `node` on, two words each; of pin::EstimatorKind; of pin::OptimiserKind; of
/// pin::Criterion, and the seed's word for the first of them.
inline constexpr std::array<std::string_view, 8> kPlaces = {"numa_bandwidth",   "numa_processing", "cache_bandwidth",
                                                            "cache_processing", "cpu_bandwidth",   "cpu_processing",
                                                            "pu_bandwidth",     "pu_processing"};
inline constexpr std::array<std::string_view, 3> kEstimators = {"rl", "apla", "al"};
inline constexpr std::array<std::string_view, 2> kOptimisers = {"rl", "al"};
inline constexpr std::array<std::string_view, 5> kCriteria = {"speed", "balanced", "min", "progress",
                                                              "processing_speed"};

/// The lists of GIMBAL_PIN_SETTINGS, a word per resource; also with CHILD_ before the name as often as there are
/// levels. The row describes one word. @see pin_words.cpp
enum List : std::uint8_t { kResources, kCriterion, kEstimator, kOptimiser, kPeriod };
inline constexpr std::array<OptionSpec, 5> kLists = {{
    {.name = "RESOURCES",
     .type = OptionType::choice,
     .fallback = "numa_bandwidth",
     .choices = kPlaces,
     .doc = "What a thread is given, {A,B}; beside one of these NUMA_MEMORY. In CHILD_RESOURCES, by default "
            "cpu_bandwidth, a finer level, and NULL for what has none."},
    {.name = "OPT_CRITERIA",
     .type = OptionType::choice,
     .fallback = "speed",
     .choices = kCriteria,
     .doc = "What is to be optimised."},
    {.name = "RESOURCES_EST_METHODS",
     .type = OptionType::choice,
     .choices = kEstimators,
     .doc = "Estimators, by default rl; for NUMA_MEMORY also ZETA, the rule."},
    {.name = "RESOURCES_OPT_METHODS",
     .type = OptionType::choice,
     .choices = kOptimisers,
     .doc =
         "Optimisers, by default al for nodes and caches, rl for cores and PUs; for NUMA_MEMORY also ZETA, the rule."},
    {.name = "RESOURCES_PERIODS",
     .type = OptionType::integer,
     .low = 1,
     .high = kMany,
     .doc = "Valid samples of a thread between two decisions [samples]; by default 10 for nodes and caches, 1 for "
            "cores and PUs."},
}};

}  // namespace gimbal::pin_rows
