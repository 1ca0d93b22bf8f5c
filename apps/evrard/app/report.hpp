// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mpi_exchange.hpp"
#include "simulation.hpp"

namespace evrard {

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

/// What print_report() is to print.
struct ReportForm {
    bool table = true;  ///< steps, wall time, phases, energies, checksum
    bool json = false;  ///< one line: checksum, ranks, times of gravity over ranks, in sum and for each time it ran
};

/// What stands at the end of a run. Collective; rank 0 prints.
/// @param wall_s  wall time of the run [s]
void print_report(const Simulation& simulation, const MpiExchange& exchange, double wall_s, ReportForm form);

/// Seconds on a clock that only runs forward.
double now_s();

}  // namespace evrard
