// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "config/table.hpp"

// The part of the option table that is about placement. Lists of processors and the seed's words are kept as written:
// libgimbal_pin.so, which knows machines, judges them when it is loaded.

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
     .doc = "How many cores a thread is given; the operating system moves it among them.",
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
     .type = OptionType::text,
     .level = "placement",
     .doc =
         "How it is learnt, as NAME=value with ; between them: RESOURCES, RESOURCES_EST_METHODS, CHILD_RESOURCES and "
         "so on; see docs/placement.md.",
     .set = [](Options& o, const OptionValue& v) { o.pin.words = std::get<std::string>(v); }},
    {.name = "GIMBAL_PIN_SHARE",
     .type = OptionType::boolean,
     .fallback = "on",
     .level = "placement",
     .doc = "Whether processes of one user tell each other through shared memory whom they placed where.",
     .set = [](Options& o, const OptionValue& v) { o.pin.share = std::get<bool>(v); }},
}};

}  // namespace gimbal::pin_rows
