// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"

#include <array>
#include <cstddef>

namespace evrard {

/// The parts of a step that are timed.
enum class Phase { tree, density, gravity, neighbours, gradient, hydro, update, exchange };
inline constexpr std::size_t kPhases = 8;
inline constexpr std::array<const char*, kPhases> kPhaseNames{"tree and order", "density", "gravity", "neighbours",
                                                              "gradient",       "hydro",   "update",  "exchange"};

/// Seconds spent in each phase by this rank, over the whole run.
class PhaseTimes {
public:
    /// Run `work` and add its time to the phase.
    template <class Work>
    void time(Phase phase, const Work& work) {
        const double cpu_begin_s = apps::thread_cpu_s();
        seconds_[static_cast<std::size_t>(phase)] += apps::seconds_of(work);
        cpu_seconds_[static_cast<std::size_t>(phase)] += apps::thread_cpu_s() - cpu_begin_s;
    }
    /// Wall time [s].
    double seconds(std::size_t phase) const { return seconds_[phase]; }
    /// Processor time of the thread that called time() [s]: what a rank of one thread was busy, whatever else its core
    /// had to do.
    double cpu_seconds(Phase phase) const { return cpu_seconds_[static_cast<std::size_t>(phase)]; }

private:
    std::array<double, kPhases> seconds_{};
    std::array<double, kPhases> cpu_seconds_{};
};

}  // namespace evrard
