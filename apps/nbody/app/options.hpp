// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simulation.hpp"

namespace nbody {

/// What the user asked for.
struct Options {
    Config config;
    bool describe = false;  ///< how unequal the bodies' work is
    bool json = false;
    bool finished = false;  ///< nothing is to be run: --help or a wrong command line, already answered
    int exit_code = 0;      ///< if finished
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

}  // namespace nbody
