// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/program.hpp"
#include "common/turns.h"
#include "options.hpp"
#include "report.hpp"
#include "simulation.hpp"

#include <cstdint>

namespace {

void simulate(const nbody::Options& options) {
    nbody::Simulation simulation(options.config);
    const nbody::Energies start = nbody::energies(simulation.bodies());
    if (options.describe) print_work("before", simulation.bodies());
    for (std::int64_t step = 0; step < options.config.steps; ++step) {
        simulation.step();
        end_of_step();
    }
    if (options.describe) print_work("after", simulation.bodies());
    print_table(options.config, simulation, start);
    if (options.json) print_json(options.config, simulation);
}

}  // namespace

int main(int argc, char** argv) {
    const nbody::Options options = nbody::parse_options(argc, argv);
    if (options.command_line.finished) return options.command_line.exit_code;
    return apps::run_program("nbody", [&] { simulate(options); });
}
