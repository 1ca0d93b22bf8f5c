// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decide/machine_view.hpp"

namespace gimbal::pin {

enum class EstimatorKind : std::uint8_t { rl, apla, al };
enum class OptimiserKind : std::uint8_t { rl, al };
enum class Criterion : std::uint8_t { speed, balanced, min, progress };
enum class Mode : std::uint8_t { learn, fixed, observe };

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
[[nodiscard]] std::vector<Resource> seed_resources();

/// Everything that the decision core can be told. The defaults are the seed's experiments: aspiration learning chooses
/// the node, the perturbed automaton the core.
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

/// Reads the seed's words: RESOURCES, OPT_CRITERIA, RESOURCES_EST_METHODS, RESOURCES_OPT_METHODS, the same with CHILD_
/// before them as often as there are levels, RESOURCES_PERIODS (ours), and every name of scalar_settings().
/// @param values  name -> text, names in any case; a list is `{"A" ,"B"}` or `A,B`; NULL or nothing: no child
/// @return defaults where nothing is said
/// @errors gimbal::Error(unknown_option or invalid_option): what() names setting and value, hint() what is allowed
/// @threads any  @cost small
/// @source seed 001, sections 4.4.1 and 4.4.2; test: tests/unit/pinning/decide/settings_test.cpp
[[nodiscard]] Settings parse_settings(const std::map<std::string, std::string>& values);

/// A setting that is one number or word: for parse_settings, for help, for an option table.
struct ScalarSetting {
    std::string_view name;   ///< as in ZETA
    double low;              ///< smallest value
    double high;             ///< largest value
    bool whole;              ///< integers only; switches are 0 and 1
    std::string_view about;  ///< with its unit
    double (*get)(const Settings&);
    void (*set)(Settings&, double);
};

[[nodiscard]] std::span<const ScalarSetting> scalar_settings() noexcept;

}  // namespace gimbal::pin
