// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/loop_report.hpp"
#include "common/program.hpp"
#include "step.hpp"
#include "work.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pisolver {

/// What the user asked for.
struct Options {
    Work work;
    double ns_per_step = 0.0;  ///< how long a midpoint step lasts at least [ns]; 0: as long as it takes
    std::int64_t steps = 20;
    std::int64_t warm_up = 1;       ///< steps before them, checked but not timed
    bool distributed = false;       ///< each rank holds its block of W only
    std::string schedule = "loop";  ///< static: equal blocks, without Gimbal; loop: what Gimbal is set to; a schedule
    bool json = false;
    std::optional<int> exit_code;  ///< nothing is to be run: the command line was answered, or is wrong
};

/// @param ranks  blocks of the work where none are given   @param speak  print help, or what is wrong
Options parse_options(int argc, char** argv, int ranks, bool speak);

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

    StepRecord sums;  ///< over ranks and timed steps; busy_s of this rank
};

/// All time steps; stops at the first that went wrong. Collective over MPI_COMM_WORLD.
/// @errors gimbal::Error
Result run(const Options& options, int rank, int ranks);

/// Times over ranks, what they say about balance, and the checksum.
void print_table(const Options& options, int ranks, const Result& result);

/// One line of JSON; its keys are explained in README.md.
void print_json(const Options& options, int ranks, const Result& result);

}  // namespace pisolver
