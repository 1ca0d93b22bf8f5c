// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"
#include "report.hpp"
#include "simulation.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>

namespace {

void simulate(const nbody::Options& options) {
    nbody::Simulation simulation(options.config);
    const nbody::Energies start = nbody::energies(simulation.bodies());
    if (options.describe) print_work("before", simulation.bodies());
    for (std::int64_t step = 0; step < options.config.steps; ++step) simulation.step();
    if (options.describe) print_work("after", simulation.bodies());
    print_table(options.config, simulation, start);
    if (options.json) print_json(options.config, simulation);
}

}  // namespace

int main(int argc, char** argv) {
    const nbody::Options options = nbody::parse_options(argc, argv);
    if (options.finished) return options.exit_code;
    try {
        simulate(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "nbody: error: %s\n", error.what());
        return 1;
    }
    if (std::fflush(stdout) != 0) {
        std::fprintf(stderr, "nbody: error: cannot write to standard output\n");
        return 1;
    }
    return 0;
}
