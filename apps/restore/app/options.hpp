// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/program.hpp"
#include "noise.hpp"
#include "restoration.hpp"

#include <cstddef>
#include <string>

namespace restore {

/// What the user asked for.
struct Options {
    std::string input;     ///< image, folder of images, or "-"
    std::string output;    ///< likewise; empty: nothing is written
    std::string original;  ///< image to compare with; empty: none
    std::string picture;   ///< file for the first frame side by side; empty: none
    bool add_noise = false;
    Noise noise;
    Config config;
    std::size_t frames = 1;
    bool judge = true;
    bool json = false;
    apps::CommandLine command_line;
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

}  // namespace restore
