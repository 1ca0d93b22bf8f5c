// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulation.hpp"

#include "cells.hpp"
#include "common/clock.hpp"
#include "loops.hpp"

#include <cstddef>
#include <stdexcept>

namespace nbody {

Simulation::Simulation(const Config& config)
    : config_(config), bodies_(make_clusters(static_cast<std::size_t>(config.bodies), config.clusters, config.seed)) {
    force_loop(bodies_, Cells(bodies_.position, config_.cutoff), config_.cutoff, 0.0);
}

void Simulation::run_loop(LoopTimes& loop, const std::function<void()>& parallel,
                          const std::function<void(Bodies&)>& serial) {
    Bodies again;
    if (config_.serial_check) again = bodies_;
    loop.times_s.push_back(apps::seconds_of(parallel));
    if (!config_.serial_check) return;

    loop.serial_s.push_back(apps::seconds_of([&] { serial(again); }));
    if (again != bodies_) throw std::runtime_error(loop.name + ": bodies differ from those of one thread");
}

void Simulation::step() {
    run_loop(
        loops_[0], [&] { drift_loop(bodies_, config_.dt); },
        [&](Bodies& again) { serial_drift_loop(again, config_.dt); });
    const Cells cells(bodies_.position, config_.cutoff);
    run_loop(
        loops_[1], [&] { force_loop(bodies_, cells, config_.cutoff, config_.dt); },
        [&](Bodies& again) { serial_force_loop(again, cells, config_.cutoff, config_.dt); });
}

}  // namespace nbody
