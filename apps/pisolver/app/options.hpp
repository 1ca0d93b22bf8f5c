// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/command_line.hpp"
#include "work.hpp"

#include <cstdint>
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
    apps::CommandLine command_line;
};

/// @param ranks  blocks of the work where none are given   @param speak  print help, or what is wrong
Options parse_options(int argc, char** argv, int ranks, bool speak);

}  // namespace pisolver
