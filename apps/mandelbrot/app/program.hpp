// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"
#include "common/program.hpp"
#include "loops.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mandelbrot {

/// What the user asked for.
struct Options {
    Config config;
    bool json = false;
    bool ranks = false;  ///< share pixels out over MPI ranks too
    std::string rank_schedule =
        "loop";                    ///< static: equal blocks, without Gimbal; loop: GIMBAL_MPI_SCHEDULE; a schedule
    double ns_per_step = 0;        ///< with ranks: how long a step of z lasts at least [ns]
    std::optional<int> exit_code;  ///< nothing is to be run: the command line was answered, or is wrong
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

/// A table of the loops, and the checksum.
void print_table(const Config& config, std::span<const LoopResult> loops);

/// One line: {"program", "checksum", "steps", "threads", "loops": [{"name", "times_s", "serial_s" if checked}]}
void print_json(const Config& config, std::span<const LoopResult> loops);

/// The program on MPI ranks: all of --ranks. In builds without Gimbal's rank level it says that it is missing.
/// @return the exit code: 0; 1 if a pixel was not computed exactly once, or after an error; 2 for a schedule that there
/// is
///         not
int run_ranks(int& argc, char**& argv, const Options& options);

/// What this rank did for one loop in one step.
struct Share {
    std::vector<std::uint32_t> counts;  ///< [pixels], set where this rank computed them
    std::vector<Range> chunks;          ///< what it computed
    double time_s = 0.0;                ///< wall time in these chunks
    double busy_s = 0.0;                ///< processor time of the first thread in them, or what they are made to last
    apps::Lasting lasting;
};

/// All loops of one step, on this rank. They are open at the same time, and each rank goes from one to the next after
/// every chunk, so that three loops over ranks are in flight together; a chunk is then a loop over threads.
/// @param shares  one per loop of the options, in their order   @errors gimbal::Error
void run_rank_step(const Options& options, std::int64_t step, int rank, int ranks, std::vector<Share>& shares);

}  // namespace mandelbrot
