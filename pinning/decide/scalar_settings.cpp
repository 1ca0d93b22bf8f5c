// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <type_traits>

#include "decide/settings.hpp"

namespace gimbal::pin {

namespace {

/// One row's reading and writing, whatever the member's type is.
template <auto Member>
double get(const Settings& settings) {
    return static_cast<double>(settings.*Member);
}
template <auto Member>
void set(Settings& settings, double value) {
    using Type = std::remove_reference_t<decltype(settings.*Member)>;
    settings.*Member = static_cast<Type>(value);
}
template <auto Member>
constexpr ScalarSetting row(std::string_view name, double low, double high, bool whole, std::string_view about) {
    return {name, low, high, whole, about, &get<Member>, &set<Member>};
}

constexpr double kTiny = 1e-6;
constexpr double kMany = 1e6;

constexpr ScalarSetting kRows[] = {
    row<&Settings::group>("GROUP", 1, 4096, true, "cores that a thread gets [count]"),
    row<&Settings::sample_s>("SAMPLE_S", 1e-3, 3600, false, "time between samples [s]"),
    row<&Settings::zeta>("ZETA", 0, 1, false,
                         "share of the threads that a node must exceed before memory is bound to it"),
    {"MEMORY_PERIOD", 1, kMany, true, "between decisions over memory [samples]",
     [](const Settings& s) { return static_cast<double>(s.numa_memory.period); },
     [](Settings& s, double value) { s.numa_memory.period = static_cast<std::size_t>(value); }},
    row<&Settings::memory_dwell>("MEMORY_DWELL", 0, kMany, true,
                                 "least time between moves of a thread's memory [samples]"),
    row<&Settings::memory_moves>("MEMORY_MOVES", 0, kMany, true,
                                 "most moves of a thread's memory per minute [count]; 0: any"),
    row<&Settings::gamma>("GAMMA", 0, 100, false, "weight of deviations from the mean speed under balanced"),
    row<&Settings::rl_step>("RL_STEP", kTiny, 1, false, "step of the strategies of RL and APLA"),
    row<&Settings::rl_lambda>("RL_LAMBDA", 0, 1, false, "probability that RL tries any choice"),
    row<&Settings::apla_floor>("APLA_FLOOR", kTiny, 1, false, "least share of a step that APLA makes"),
    row<&Settings::apla_range>("APLA_RANGE", kTiny, 1, false,
                               "fall below the aspiration at which that share is reached"),
    row<&Settings::mean_step>("MEAN_STEP", kTiny, 1, false, "step of the running mean of a thread's speed"),
    row<&Settings::al_eta>("AL_ETA", 1 + kTiny, 100, false, "upper over lower benchmark of AL"),
    row<&Settings::al_margin>("AL_MARGIN", 0, 0.99, false, "room below the mean after a drop"),
    row<&Settings::al_lambda>("AL_LAMBDA", 0, 1, false, "probability that AL tries another choice"),
    row<&Settings::al_dwell>("AL_DWELL", 0, kMany, true, "least time between moves of a thread [samples]"),
    row<&Settings::al_moves>("AL_MOVES", 0, kMany, true, "most moves of a thread per minute [count]; 0: any"),
    row<&Settings::al_directed>("AL_DIRECTED", 0, 1, true,
                                "1: after a drop only where more is expected, or nothing known"),
    row<&Settings::al_seek>("AL_SEEK", 0, 1, false, "probability to go where clearly more is expected"),
    row<&Settings::share>("SHARE", 0, 1, true, "1: threads tell each other what they earn where"),
    row<&Settings::memory>("MEMORY", 1, kMany, true, "what was seen of a choice is forgotten after this [samples]"),
    row<&Settings::team>("TEAM", 0, 1, true, "1: threads go where all together gain"),
    row<&Settings::rotate>("ROTATE", 0, 1, true, "1: threads on fast and slow cores change places"),
    row<&Settings::al_reset>("AL_RESET", 0, 1, true, "1: forget mean and benchmarks at every move"),
    row<&Settings::crowd>("CROWD", 0, 100, false, "how much exploring avoids crowded choices; 0: not at all"),
    row<&Settings::reshuffle>("RESHUFFLE", 0, 1, true, "1: a new node's strategy starts uniform"),
    row<&Settings::sure>("SURE", 0, 1, false, "weight of the first placement in a strategy that is not uniform"),
    row<&Settings::guard>("GUARD", 0, 1, true, "1: compare with the operating system and let go when it wins"),
    row<&Settings::guard_window>("GUARD_WINDOW", 2, kMany, true, "one comparison [samples]"),
    row<&Settings::guard_trial>("GUARD_TRIAL", 1, kMany, true, "windows that learning gets to be ahead [count]"),
    row<&Settings::guard_rest>("GUARD_REST", 1, kMany, true, "first pause after letting go [windows]"),
    row<&Settings::guard_gain>("GUARD_GAIN", 0, 1, false, "what learning must gain over the operating system"),
};

}  // namespace

std::span<const ScalarSetting> scalar_settings() noexcept {
    return kRows;
}

}  // namespace gimbal::pin
