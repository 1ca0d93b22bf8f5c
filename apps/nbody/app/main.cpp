// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/loop_report.hpp"
#include "common/program.hpp"
#include "common/turns.h"
#include "simulation.hpp"

#include <omp.h>
#include <CLI/CLI.hpp>

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>

namespace nbody {

namespace {

/// What the user asked for.
struct Options {
    Config config;
    bool describe = false;  ///< how unequal the bodies' work is
    bool json = false;
    std::optional<int> exit_code;  ///< nothing is to be run: the command line was answered, or is wrong
};

constexpr std::int64_t kMaxBodies = 10'000'000;
constexpr int kMaxClusters = 1000;

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv) {
    Options options;
    Config& config = options.config;

    CLI::App app{
        "Bodies in clusters that attract each other up to a cutoff: the work of a body is what lies within it.\n"
        "Every loop is schedule(runtime): OMP_SCHEDULE chooses how it is shared out.",
        "nbody"};
    app.add_option("--bodies", config.bodies, "number of bodies")
        ->check(CLI::Range(std::int64_t{2}, kMaxBodies))
        ->capture_default_str();
    app.add_option("--clusters", config.clusters, "number of clusters; the k-th holds 1 / k of what the first holds")
        ->check(CLI::Range(1, kMaxClusters))
        ->capture_default_str();
    app.add_option("--cutoff", config.cutoff, "distance from which on bodies do not attract each other; the box is 1")
        ->capture_default_str();
    app.add_option("--dt", config.dt, "length of a time step")->capture_default_str();
    apps::add_steps(app, config.steps);
    apps::add_seed(app, config.seed, "seed of the initial bodies");
    app.add_flag("--describe", options.describe, "print how unequal the bodies' work is, before and after");
    app.add_flag("--serial-check", config.serial_check, "repeat every loop on one thread: time it and compare");
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.exit_code = apps::read_command_line(app, argc, argv, [&] {
        // Not by CLI11's own check, which a NaN passes.
        apps::require(config.cutoff >= 1e-3 && config.cutoff <= 2.0, "--cutoff", "must lie between 0.001 and 2");
        apps::require(config.dt > 0.0 && config.dt <= 1.0, "--dt", "must be positive and at most 1");
    });
    return options;
}

/// How unequal the bodies' work is now.
void print_work(const char* when, const Bodies& bodies) {
    const double sum = std::accumulate(bodies.interactions.begin(), bodies.interactions.end(), 0.0);
    std::printf("work %s: %.1f interactions per body, cov %.3f; imbalance of equal blocks:", when,
                sum / static_cast<double>(bodies.size()), work_cov(bodies));
    for (const std::size_t workers : {2U, 4U, 8U, 16U}) {
        std::printf("  %.0f %% of %zu", static_imbalance(bodies, workers), workers);
    }
    std::printf("\n");
}

/// A table of the loops, what became of energy and momentum, and the checksum.
void print_table(const Config& config, const Simulation& simulation, const Energies& start) {
    std::printf("nbody: %" PRId64 " bodies in %d clusters, %" PRId64 " steps, %d threads, OMP_SCHEDULE %s\n",
                config.bodies, config.clusters, config.steps, omp_get_max_threads(), apps::schedule_text());
    const apps::LoopTable table(6, config.serial_check);
    for (const LoopTimes& loop : simulation.loops()) table.print(loop);
    const Energies end = energies(simulation.bodies());
    std::printf("energy %.6f, changed by %.1e of itself; momentum %.1e\n", end.total(),
                (end.total() - start.total()) / std::abs(start.total()), std::sqrt(dot(end.momentum, end.momentum)));
    std::printf("checksum %016" PRIx64 "\n", checksum(simulation.bodies()));
}

/// One line: {"program", "checksum", "steps", "threads", "loops": [{"name", "times_s", "serial_s" if checked}]}
void print_json(const Config& config, const Simulation& simulation) {
    apps::print_json_head("nbody", checksum(simulation.bodies()), config.steps);
    apps::print_json_loops<LoopTimes>(simulation.loops());
}

void simulate(const Options& options) {
    Simulation simulation(options.config);
    const Energies start = energies(simulation.bodies());
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

}  // namespace nbody

int main(int argc, char** argv) {
    using namespace nbody;
    const Options options = parse_options(argc, argv);
    if (options.exit_code) return *options.exit_code;
    return apps::run_program("nbody", [&] { simulate(options); });
}
