// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace evrard {

/// What the user asked for.
struct Options {
    Config config;
    double end_time = 3.0;
    long steps = std::numeric_limits<long>::max();  ///< given instead of the end time
    std::string output;                             ///< folder of the results; empty: none are written
    double snapshot_every = 0.0;                    ///< [time]; 0: only at the end
    std::string rank_schedule = "loop";             ///< MpiExchange::use_schedule()
    bool ascii_energies = false;
    bool json = false;
    bool quiet = false;
};

/// A wrong command line; what() is one line.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The text of --help or --version: nothing is to be run.
struct InfoRequest {
    std::string text;
};

/// @errors UsageError for a wrong command line, InfoRequest for --help and --version
Options parse_options(int argc, char** argv);

}  // namespace evrard
