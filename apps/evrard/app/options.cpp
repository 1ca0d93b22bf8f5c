// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/program.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <map>

namespace evrard {

namespace {

constexpr double kMaxParticles = 100e6;
constexpr double kMinNeighbours = 30.0;  // a particle itself counts as 26.5 under the density constraint
constexpr double kMaxNeighbours = 1000.0;
constexpr double kMinSnapshotEvery = 1e-9;  // its multiples are still exact at the last time

void check(bool good, const std::string& message) {
    if (!good) throw CLI::ValidationError(message);
}

/// Not by CLI11's own range checks: a NaN passes those, and a negative number becomes a large unsigned one.
void check_values(const Options& options, std::int64_t particles, std::int64_t seed) {
    const Config& config = options.config;
    check(seed >= 0, "--seed must not be negative");
    check(config.neighbours >= kMinNeighbours && config.neighbours <= kMaxNeighbours,
          "--neighbours must lie between 30 and 1000");
    check(static_cast<double>(particles) >= 2.0 * config.neighbours && static_cast<double>(particles) <= kMaxParticles,
          "--particles must lie between twice --neighbours and 100000000");
    check(config.theta >= 0.1 && config.theta <= 1.2, "--theta must lie between 0.1 and 1.2");
    check(options.end_time > 0.0 && options.end_time <= 1e3, "--end-time must be positive and at most 1000");
    check(options.steps >= 1, "--steps must be at least 1");
    check(options.snapshot_every == 0.0 ||
              (options.snapshot_every >= kMinSnapshotEvery && std::isfinite(options.snapshot_every)),
          "--snapshot-every must be 0, or a time from 1e-9 on");
    check(!options.rank_schedule.empty(), "--rank-schedule must name a schedule");
    check(options.snapshot_every == 0.0 || !options.output.empty(), "--snapshot-every needs --output");
}

Order order_named(const std::string& name) {
    static const std::map<std::string, Order> orders{
        {"radial", Order::radial}, {"morton", Order::morton}, {"initial", Order::initial}};
    const auto found = orders.find(name);
    check(found != orders.end(), "--order must be radial, morton or initial, not \"" + apps::short_text(name) + "\"");
    return found->second;
}

}  // namespace

Options parse_options(int argc, char** argv, bool speak) {
    Options options;
    auto particles = static_cast<std::int64_t>(options.config.particles);
    auto seed = static_cast<std::int64_t>(options.config.seed);
    std::string order = "radial";

    CLI::App app{
        "Collapse of a cold gas sphere (Evrard): SPH with self-gravity, on MPI ranks of OpenMP threads.\n"
        "Every particle loop is schedule(runtime): OMP_SCHEDULE chooses how it is shared out.",
        "evrard"};
    app.set_version_flag("--version", "evrard, part of Gimbal " EVRARD_VERSION);
    app.add_option("--particles", particles, "number of particles")->capture_default_str();
    auto* end_time = app.add_option("--end-time", options.end_time, "simulated time to reach (free fall is 1.11)");
    end_time->capture_default_str();
    app.add_option("--steps", options.steps, "number of steps to make, instead of --end-time")->excludes(end_time);
    app.add_option("--theta", options.config.theta, "opening angle of gravity: smaller is more exact")
        ->capture_default_str();
    app.add_option("--neighbours", options.config.neighbours, "neighbours of a particle")->capture_default_str();
    app.add_option("--order", order, "order of the particle loops: radial, morton or initial")
        ->type_name("ORDER")
        ->default_str("radial");
    app.add_option("--rank-schedule", options.rank_schedule,
                   "how loops are shared out over ranks: loop (what GIMBAL_MPI_SCHEDULE says), static (equal blocks, "
                   "without Gimbal) or a schedule's name")
        ->type_name("SCHEDULE")
        ->default_str("loop");
    app.add_option("--seed", seed, "seed of the initial positions")->capture_default_str();
    app.add_option("--output", options.output, "folder for energies.csv and snapshot_<step>.h5 (made if missing)");
    app.add_option("--snapshot-every", options.snapshot_every, "simulated time between snapshots; 0: one at the end");
    app.add_flag("--ascii-energies", options.ascii_energies,
                 "print a line of each step: step t dt Etot Ekin Eint Egrav |P| |L|");
    app.add_flag("--json", options.json, "print times over ranks and the checksum as a last line of JSON");
    app.add_flag("--quiet", options.quiet, "print nothing but errors, and what --ascii-energies and --json ask for");
    options.exit_code = apps::read_command_line(
        app, argc, argv,
        [&] {
            // An empty folder name is a script's unset variable, not a wish.
            check(app.count("--output") == 0 || !options.output.empty(), "--output must name a folder");
            check_values(options, particles, seed);
            options.config.seed = static_cast<std::uint64_t>(seed);
            options.config.order = order_named(order);
            options.config.particles = static_cast<std::size_t>(particles);
        },
        speak);
    if (app.count("--steps") > 0) options.end_time = HUGE_VAL;
    return options;
}

}  // namespace evrard
