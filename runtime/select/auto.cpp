// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/auto.hpp"

#include <array>
#include <string_view>

#include "select/simulate.hpp"

namespace gimbal {

namespace {

SimulateSettings settings_of_auto() {
    // Feedback-guided blocks hold the title: static's locality, and balance from what was measured. The others win
    // where the profile does not repeat (af, awf-c, guided, tss, gss, fac2, mfsc), where balance is there already
    // (static), or where stealing or a list schedule does better.
    static constexpr std::array<std::string_view, 11> kNames = {
        "feedback", "static", "guided", "fac2", "gss", "tss", "mfsc", "awf-c", "af", "static-steal", "binlpt"};
    SimulateSettings settings;
    settings.name = "auto";
    settings.first_stays = true;
    settings.sizes_chunks = true;
    settings.leaves = true;
    for (const std::string_view name : kNames) settings.portfolio.push_back({find_technique(name)});
    // Pages that a loop is the first to write to lie where static would have them, and so does what stays in caches
    // (docs/decisions/0076).
    settings.profiling_threads = {find_technique("static-steal")};
    settings.profiling = {{find_technique("ss")}};
    return settings;
}

}  // namespace

std::unique_ptr<Selector> make_auto(std::uint64_t seed, bool background) {
    // Looking twelve names up takes a microsecond, which each short loop would pay for.
    static const SimulateSettings* const kSettings = new SimulateSettings(settings_of_auto());
    SimulateSettings settings = *kSettings;
    settings.background = background;
    settings.seed = seed;
    return std::make_unique<SimulateSelector>(std::move(settings));
}

std::unique_ptr<Selector> make_simulate(const Portfolio& portfolio, std::uint64_t seed, bool golden_chunk,
                                        bool background) {
    SimulateSettings settings;
    settings.name = "simulate";
    settings.portfolio = portfolio;
    settings.golden_chunk = golden_chunk;
    settings.background = background;
    settings.seed = seed;
    settings.profiling.assign(3, {find_technique("fac2")});
    return std::make_unique<SimulateSelector>(std::move(settings));
}

}  // namespace gimbal
