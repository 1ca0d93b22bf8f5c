// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace nbody {

namespace {

constexpr std::int64_t kMaxBodies = 10'000'000;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr int kMaxClusters = 1000;

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    Config& config = options.config;
    auto seed = static_cast<std::int64_t>(config.seed);

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
    app.add_option("--steps", config.steps, "time steps")
        ->check(CLI::Range(std::int64_t{1}, kMaxCount))
        ->capture_default_str();
    app.add_option("--seed", seed, "seed of the initial bodies")
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    app.add_flag("--describe", options.describe, "print how unequal the bodies' work is, before and after");
    app.add_flag("--serial-check", config.serial_check, "repeat every loop on one thread: time it and compare");
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.command_line = apps::read_command_line(app, argc, argv, [&] {
        // Not by CLI11's own check, which a NaN passes.
        apps::require(config.cutoff >= 1e-3 && config.cutoff <= 2.0, "--cutoff", "must lie between 0.001 and 2");
        apps::require(config.dt > 0.0 && config.dt <= 1.0, "--dt", "must be positive and at most 1");
        config.seed = static_cast<std::uint64_t>(seed);
    });
    return options;
}

}  // namespace nbody
