// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <chrono>
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
    /// Run `work` and add its wall time to the phase.
    template <class Work>
    void time(Phase phase, const Work& work) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        seconds_[static_cast<std::size_t>(phase)] +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    double seconds(std::size_t phase) const { return seconds_[phase]; }

private:
    std::array<double, kPhases> seconds_{};
};

}  // namespace evrard
