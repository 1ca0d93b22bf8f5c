// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/loop_times.hpp"
#include "options.hpp"

#include <cstdint>
#include <string>

namespace pisolver {

/// What a run gave, on all ranks alike.
struct Result {
    std::string fault;           ///< what is wrong with the result; empty: nothing
    std::uint64_t checksum = 0;  ///< of all results of the timed steps
    double max_error = 0.0;      ///< largest |result - pi|

    // over ranks, each for every timed step [s]
    apps::LoopTimes wall_max{"pi", {}, {}};  ///< from the step before until the slowest rank is through
    apps::LoopTimes wall_mean{"wall_mean", {}, {}};
    apps::LoopTimes busy_max{"busy_max", {}, {}};  ///< wall time in iterations
    apps::LoopTimes busy_mean{"busy_mean", {}, {}};

    // sums over ranks and timed steps [count]
    std::int64_t chunks = 0;
    std::int64_t attempts = 0;
    std::int64_t steals = 0;
    std::int64_t stolen = 0;
    std::int64_t bytes = 0;
};

/// All time steps; stops at the first that went wrong. Collective over MPI_COMM_WORLD.
/// @errors gimbal::Error
Result run(const Options& options, int rank, int ranks);

}  // namespace pisolver
