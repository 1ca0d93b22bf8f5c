// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>

#include "experiment/application.hpp"
#include "experiment/disturbance.hpp"
#include "experiment/virtual_loop.hpp"

namespace gimbal::simulate {

/// What drawing chunks costs [ns], on an undisturbed machine.
/// Threads draw from a counter that travels between their caches: 100 ns, 40 of them exclusive.
/// Ranks ask a foreman: 5 us for the way there and back, and 1.09 us of the foreman, who thus needs the 818 s that
/// single self-scheduling took for 1500 times 500000 requests of 200 ranks (seed 000, table 5.3).
[[nodiscard]] Machine drawing_costs(bool ranks) noexcept;

/// An application on a machine, to be run as the options, or the request, say.
struct Experiment {
    Application* application = nullptr;
    Machine costs = {};  ///< of drawing chunks, as drawing_costs() has them; the rest is filled in by machine_of()
    Disturbances disturbances = {};
    Request request = {};  ///< its trip is filled in; not can_leave (VirtualLoop::run())
    LearningCosts learning = {};
    std::uint64_t seed = 0;              ///< of the disturbances
    std::uint64_t most_events = 20'000;  ///< in one execution, as Machine has it; 0: no bound
};

/// The machine that it runs on, but for speeds and the seed of noise, which are a step's.
[[nodiscard]] Machine machine_of(const Experiment& experiment) noexcept;

/// One execution of one loop.
struct ExperimentStep {
    std::size_t loop = 0;
    std::uint32_t workers = 0;
    const StepRow* step = nullptr;
    double learning = 0;  ///< what choosing, learning and planning took, while the workers waited [ns]
    double ideal = 0;     ///< its work spread over all workers by their speeds [ns]
    const LoopLearning* site = nullptr;
};

/// Run all steps, in each of them one loop after the other, each with a selector of its own.
/// @param seen  called after each execution
/// @errors std::bad_alloc, and what `seen` throws
void run_experiment(const Experiment& experiment, const std::function<void(const ExperimentStep&)>& seen);

}  // namespace gimbal::simulate
