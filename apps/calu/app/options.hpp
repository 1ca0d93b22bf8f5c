// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/program.hpp"
#include "run.hpp"

namespace calu {

/// What the user asked for.
struct Options {
    Config config;
    bool json = false;
    apps::CommandLine command_line;
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

}  // namespace calu
