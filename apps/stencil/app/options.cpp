// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <omp.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace stencil {

namespace {

constexpr std::int64_t kMinSize = 2;
constexpr std::int64_t kMaxSize = 2000;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr double kMaxDelayUs = 1e7;

NoiseMode mode_named(const std::string& name) {
    static const std::map<std::string, NoiseMode> modes{
        {"none", NoiseMode::none}, {"iteration", NoiseMode::iteration}, {"thread", NoiseMode::thread}};
    const auto found = modes.find(name);
    apps::require(found != modes.end(), "--noise", "must be none, iteration or thread");
    return found->second;
}

/// What CLI11's own checks cannot see: a NaN, and options that mean nothing together.
void check_noise(const CLI::App& app, const Noise& noise) {
    apps::require(noise.length_us >= 0.0 && noise.length_us <= kMaxDelayUs, "--noise-us",
                  "must lie between 0 and 10000000");
    for (const char* option : {"--noise-us", "--noise-every", "--seed"}) {
        apps::require(noise.mode != NoiseMode::none || app.count(option) == 0, option,
                      "needs --noise iteration or thread");
    }
    apps::require(noise.mode == NoiseMode::thread || app.count("--noise-thread") == 0, "--noise-thread",
                  "needs --noise thread");
    apps::require(noise.mode != NoiseMode::thread || noise.thread < omp_get_max_threads(), "--noise-thread",
                  "must be smaller than the number of threads");
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    Noise& noise = options.config.noise;
    std::string mode = "none";
    auto seed = static_cast<std::int64_t>(noise.seed);
    const CLI::Range count(std::int64_t{1}, kMaxCount);

    CLI::App app{
        "Heat equation on a regular mesh: one loop per time step over pencils of cells that all cost the same, with\n"
        "noise on demand. The loop is schedule(runtime): OMP_SCHEDULE chooses how it is shared out.",
        "stencil"};
    app.add_option("--size", options.config.size, "cells along each side of the cube")
        ->check(CLI::Range(kMinSize, kMaxSize))
        ->capture_default_str();
    app.add_option("--steps", options.config.steps, "time steps")->check(count)->capture_default_str();
    app.add_option("--noise", mode, "none; iteration: delay chosen iterations; thread: delay them in one thread only")
        ->capture_default_str();
    app.add_option("--noise-us", noise.length_us, "length of a delay [microseconds]")->capture_default_str();
    app.add_option("--noise-every", noise.every, "on average, one iteration in this many is delayed")
        ->check(count)
        ->capture_default_str();
    app.add_option("--noise-thread", noise.thread, "number of the thread that is delayed")
        ->check(CLI::Range(0, std::numeric_limits<int>::max()))
        ->capture_default_str();
    app.add_option("--seed", seed, "chooses the iterations")
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    app.add_flag("--serial-check", options.config.serial_check, "repeat the loop on one thread: time it and compare");
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.command_line = apps::read_command_line(app, argc, argv, [&] {
        noise.mode = mode_named(mode);
        noise.seed = static_cast<std::uint64_t>(seed);
        check_noise(app, noise);
    });
    return options;
}

}  // namespace stencil
