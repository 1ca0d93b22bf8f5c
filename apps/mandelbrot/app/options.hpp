// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/command_line.hpp"
#include "run.hpp"

#include <string>

namespace mandelbrot {

/// What the user asked for.
struct Options {
    Config config;
    bool json = false;
    bool ranks = false;  ///< share pixels out over MPI ranks too
    std::string rank_schedule =
        "loop";  ///< static: equal blocks, without Gimbal; loop: GIMBAL_MPI_SCHEDULE; a schedule
    double ns_per_step = 0;  ///< with ranks: how long a step of z lasts at least [ns]
    apps::CommandLine command_line;
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

}  // namespace mandelbrot
