// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gimbal/api.h"

/// @file
/// What libgimbal_pin.so asks of libgimbal.so: one option table, one report.

namespace gimbal::pin {

/// Levels of a machine, outermost first.
enum class Level : std::uint8_t { machine, node, cache, core, pu };
enum class EstimatorKind : std::uint8_t { rl, apla, al };
enum class OptimiserKind : std::uint8_t { rl, al };
enum class Criterion : std::uint8_t { speed, balanced, min, progress };
/// In the order of the values of GIMBAL_PIN.
enum class Mode : std::uint8_t { off, learn, observe, fixed };

/// Valid samples between decisions where nothing is said: of nodes and caches, of cores and PUs [samples].
inline constexpr std::size_t kOuterPeriod = 10;
inline constexpr std::size_t kInnerPeriod = 1;

/// One level of the choice of a core: which node, which core in it.
struct Resource {
    Level level = Level::node;
    Criterion criterion = Criterion::speed;
    EstimatorKind estimator = EstimatorKind::rl;
    OptimiserKind optimiser = OptimiserKind::al;
    std::size_t period = kOuterPeriod;  ///< valid samples of a thread between its decisions [samples], >= 1
};

/// Aspiration learning over nodes, the perturbed automaton over the cores of each.
[[nodiscard]] inline std::vector<Resource> seed_resources() {
    return {{Level::node, Criterion::speed, EstimatorKind::rl, OptimiserKind::al, kOuterPeriod},
            {Level::core, Criterion::speed, EstimatorKind::rl, OptimiserKind::rl, kInnerPeriod}};
}

/// Everything that the decision core can be told. The defaults are the seed's experiments: aspiration learning chooses
/// the node, the perturbed automaton the core. Users name these in GIMBAL_PIN_SETTINGS (runtime/config/pin_rows.hpp).
/// @source seed 001, section 4.4; reference on placement, 1a to 1c
struct Settings {
    Mode mode = Mode::learn;
    std::vector<Resource> resources = seed_resources();
    bool bind_memory = false;       ///< NUMA_MEMORY is among the resources
    bool learn_memory = false;      ///< ... and has methods: they decide; else the rule over zeta does
    Resource numa_memory = {};      ///< the methods, and the period of either [ticks by the rule]
    double zeta = 0.5;              ///< share of threads that a node must exceed before memory is bound to it
    std::size_t memory_dwell = 20;  ///< least time between two moves of a thread's memory [ticks]
    std::size_t memory_moves = 4;   ///< most moves of a thread's memory per minute [count]; 0: no limit
    std::size_t group = 1;          ///< k, cores of a leaf
    double sample_s = 0.2;          ///< between ticks [s]; only turns minutes into ticks
    double gamma = 0.5;             ///< weight of a deviation from the mean under `balanced`, dimensionless
    double rl_step = 0.3;           ///< epsilon of the strategies, dimensionless
    double rl_lambda = 0.01;        ///< probability to try any choice
    double apla_floor = 0.1;        ///< h, what is left of a step after a bad experience, in (0, 1]
    double apla_range = 0.5;        ///< c, fall below the aspiration at which h is reached, as a share of it
    double mean_step = 0.1;         ///< epsilon_V of the running mean
    double al_eta = 1.25;           ///< upper over lower benchmark
    double al_margin = 0.05;        ///< m, room below V after a drop
    double al_lambda = 0.01;        ///< probability to try another choice inside the band
    std::size_t al_dwell = 20;      ///< least time between two moves of a thread at an AL level [ticks]
    std::size_t al_moves = 12;      ///< most moves of a thread at an AL level per minute [count]; 0: no limit
    bool al_directed = true;        ///< after a drop go only where more is expected, or nothing known
    double al_seek = 0.2;           ///< probability to go where clearly more is expected; 0: the seed's letter
    bool share = true;              ///< what is expected of a choice is what our threads there earn; else own memory
    std::size_t memory = 50;        ///< what was seen of a choice is forgotten after this [ticks]
    bool al_reset = false;          ///< forget V and the benchmarks at every move
    double crowd = 2;               ///< exploring avoids crowded choices: weight (1 + load)^-crowd; 0: uniform
    bool reshuffle = false;  ///< strategies start uniform in a new node and when threads join or leave; else with most
                             ///< weight where it begins
    double sure = 0.98;      ///< weight of the first placement in a strategy that is not uniform
    bool guard = true;       ///< compare with the operating system's placement and let go when it wins
    bool team = true;        ///< threads go where all together gain, as the shares of processors that they get tell
    bool rotate = true;      ///< threads on fast and slow cores change places, so that all get on alike
    std::size_t guard_window = 10;  ///< one comparison [ticks]
    std::size_t guard_trial = 4;    ///< windows that learning gets before it must be ahead [count]
    std::size_t guard_rest = 8;     ///< first pause after letting go, doubled up to 8 times that [windows]
    double guard_gain = 0.01;       ///< what learning must gain over the operating system, as a share
};

}  // namespace gimbal::pin

extern "C" {

/** Settings of placement (docs/placement.md). Pointers are valid until the process ends, and all null where there was
 * no memory for them: copy what they point to, for the two libraries may have an allocator each. */
struct gimbal_pin_settings {
    const gimbal::pin::Settings* settings;  ///< GIMBAL_PIN, _GROUP, _PERIOD and _SETTINGS
    bool force;                             ///< place threads that somebody has bound: GIMBAL_PIN_FORCE
    bool share;                             ///< tell other processes: GIMBAL_PIN_SHARE
    int rank;                               ///< 0 without MPI
    uint64_t seed;                          ///< GIMBAL_SEED
    const char* nodes;                      ///< as written: GIMBAL_PIN_NODES
    const char* reserve;                    ///< as written: GIMBAL_PIN_RESERVE
    const char* metric;                     ///< GIMBAL_PIN_METRIC
    const char* trace;                      ///< path, placeholders filled in; "": none: GIMBAL_PIN_TRACE
};

/** @errors none  @threads one, while the library is loaded  @cost small */
GIMBAL_API gimbal_pin_settings gimbal_pin_settings_get(void);

/** To be called when the trace is begun: of the processes of one `gimbal run` the first one has the path of
 *  GIMBAL_PIN_TRACE, and others another.
 *  @param trace  as in gimbal_pin_settings
 *  @return valid until the process ends; `trace` where there is no memory  @threads one, not at load  @cost a file */
GIMBAL_API const char* gimbal_pin_own_trace(const char* trace);

/** A setting of placement that libgimbal.so could not judge is wrong: said as every wrong setting is, by rank 0, and
 *  ends the process with status 2; with GIMBAL_STRICT=0 it is a warning, and this returns.
 *  @param name  the variable  @param what  what is wrong  @param hint  what is allowed, or ""
 *  @errors none  @threads one, while the library is loaded */
GIMBAL_API void gimbal_pin_refuse(const char* name, const char* what, const char* hint);

/** The signals that the calling thread blocks by the program's will: without those that libgimbal.so holds back in it
 *  for now, as where it starts a thread of its own.
 *  @param mask  out  @errors none  @threads any  @cost a system call */
GIMBAL_API void gimbal_pin_program_signals(sigset_t* mask);

/** Placement learns where the threads of this process run, from now on until gimbal_pin_end(), or a fork in the child.
 *  @param instructions  counts those of the calling thread since some moment, 0 where it cannot; stays callable until
 *                       the process ends; NULL: nobody counts
 *  @threads one at a time, also while loops run */
GIMBAL_API void gimbal_pin_begin(uint64_t (*instructions)(void));

/** Placement learns no more, or for now: it only observes, has nobody to place, has given up, or is in a child. Loops
 *  hold for it no longer.
 *  @threads any, also a child of _Fork()  @cost a store */
GIMBAL_API void gimbal_pin_end(void);

/** A computing thread has been given other processors: what loops show meanwhile is of two placements. @threads any */
GIMBAL_API void gimbal_pin_moved(void);

/** Whether placement tries nothing now, since the schedules of loops are asked first: what loops lose is unequal work.
 *  @return 1 or 0; never 1 for longer than two seconds  @threads any  @cost small */
GIMBAL_API int gimbal_pin_holds(void);

/** How often a loop of this process got another schedule that holds [count]: what threads did per second while it
 * changes is of two schedules, and says nothing about places. @threads any  @cost a load */
GIMBAL_API uint64_t gimbal_pin_schedules(void);

/** Placement's part of the exit report. The last call counts.
 *  @param json  an object  @param text  lines, each with a line feed
 *  @threads one that has not to wait for the heap: not that which ends the process, perhaps in a signal handler */
GIMBAL_API void gimbal_pin_report(const char* json, const char* text);

}  // extern "C"
