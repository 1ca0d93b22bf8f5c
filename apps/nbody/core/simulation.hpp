// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bodies.hpp"
#include "common/loop_report.hpp"

#include <array>
#include <cstdint>
#include <functional>

namespace nbody {

/// What a run computes.
struct Config {
    std::int64_t bodies = 10000;
    int clusters = 8;
    double cutoff = 0.06;  ///< beyond it bodies do not attract each other; the box side is 1
    double dt = 1e-4;      ///< about a hundredth of the time in which the largest cluster would collapse
    std::int64_t steps = 50;
    std::uint64_t seed = 1;
    bool serial_check = false;  ///< repeat every loop serially, time that, and compare
};

using apps::LoopTimes;

/// Bodies in clusters, and how they move: kick, drift, kick.
class Simulation {
public:
    /// Makes the bodies and evaluates their forces once.   @threads forks a team
    explicit Simulation(const Config& config);

    /// One time step.
    /// @errors std::runtime_error if a serial check finds other bodies   @threads forks teams
    void step();

    const Bodies& bodies() const { return bodies_; }
    const std::array<LoopTimes, 2>& loops() const { return loops_; }

private:
    /// A loop, timed, and checked if so configured.
    void run_loop(LoopTimes& loop, const std::function<void()>& parallel, const std::function<void(Bodies&)>& serial);

    Config config_;
    Bodies bodies_;
    std::array<LoopTimes, 2> loops_{{{"drift", {}, {}}, {"force", {}, {}}}};
};

}  // namespace nbody
