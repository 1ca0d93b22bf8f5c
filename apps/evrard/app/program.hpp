// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config.hpp"
#include "mpi_exchange.hpp"
#include "simulation.hpp"

#include <limits>
#include <optional>
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
    std::optional<int> exit_code;  ///< nothing is to be run: the command line was answered, or is wrong
};

/// @param speak  print help, or what is wrong
Options parse_options(int argc, char** argv, bool speak);

/// One line on the terminal that is overwritten as the run goes; silent where standard error is no terminal.
class Progress {
public:
    Progress(bool wanted, double end_time, long steps);
    void show(const Simulation& simulation);
    void clear();

private:
    bool on_;
    double end_time_;
    long steps_;
    double shown_s_ = -1.0;  // when the line was last written
};

/// What stands at the end of a run, unless it is quiet: steps, wall time, phases, energies, checksum. With --json one
/// line more: checksum, ranks, times of gravity over ranks, in sum and for each time it ran. Collective; rank 0 prints.
/// @param wall_s  wall time of the run [s]
void print_report(const Simulation& simulation, const MpiExchange& exchange, double wall_s, const Options& options);

}  // namespace evrard
