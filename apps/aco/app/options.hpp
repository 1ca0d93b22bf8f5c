// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/command_line.hpp"
#include "search.hpp"

#include <cstddef>
#include <string>

namespace aco {

enum class Variant {
    farm,    ///< POSIX threads, each with its own part of the ants
    openmp,  ///< loops that OMP_SCHEDULE shares out
};

/// What the user asked for.
struct Options {
    Search search;
    Variant variant = Variant::farm;
    int threads = 0;
    std::string data;          ///< folder of the instances
    std::string set = "wt40";  ///< of instances
    std::size_t number = 1;    ///< of the instance, from 1; 0: all
    int repeat = 1;
    bool json = false;
    apps::CommandLine command_line;
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

}  // namespace aco
