// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/loop_report.hpp"
#include "common/program.hpp"
#include "run.hpp"

#include <omp.h>
#include <CLI/CLI.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <span>
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

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
/// @return the exit code where nothing is to be run
std::optional<int> parse_options(int argc, char** argv, Config& config, bool& json) {
    Noise& noise = config.noise;
    std::string mode = "none";
    const CLI::Range count(std::int64_t{1}, kMaxCount);

    CLI::App app{
        "Heat equation on a regular mesh: one loop per time step over pencils of cells that all cost the same, with\n"
        "noise on demand. The loop is schedule(runtime): OMP_SCHEDULE chooses how it is shared out.",
        "stencil"};
    app.add_option("--size", config.size, "cells along each side of the cube")
        ->check(CLI::Range(kMinSize, kMaxSize))
        ->capture_default_str();
    apps::add_steps(app, config.steps);
    app.add_option("--noise", mode, "none; iteration: delay chosen iterations; thread: delay them in one thread only")
        ->capture_default_str();
    app.add_option("--noise-us", noise.length_us, "length of a delay [microseconds]")->capture_default_str();
    app.add_option("--noise-every", noise.every, "on average, one iteration in this many is delayed")
        ->check(count)
        ->capture_default_str();
    app.add_option("--noise-thread", noise.thread, "number of the thread that is delayed")
        ->check(CLI::Range(0, std::numeric_limits<int>::max()))
        ->capture_default_str();
    apps::add_seed(app, noise.seed, "chooses the iterations");
    app.add_flag("--serial-check", config.serial_check, "repeat the loop on one thread: time it and compare");
    app.add_flag("--json", json, "print the result as a last line of JSON");
    return apps::read_command_line(app, argc, argv, [&] {
        noise.mode = mode_named(mode);
        check_noise(app, noise);
    });
}

/// A table of the loop, the error and the checksum.
void print_table(const Config& config, const Result& result) {
    std::printf("stencil: %" PRId64 "^3 cells, %" PRId64 " steps, %d threads, OMP_SCHEDULE %s\n", config.size,
                config.steps, omp_get_max_threads(), apps::schedule_text());
    apps::LoopTable(7, config.serial_check).print(result);
    std::printf("difference from the exact solution %.1e of its amplitude\n", result.error);
    std::printf("checksum %016" PRIx64 "\n", result.checksum);
}

/// One line: {"program", "checksum", "steps", "threads", "loops": [{"name", "times_s", "serial_s" if checked}]}
void print_json(const Config& config, const Result& result) {
    apps::print_json_head("stencil", result.checksum, config.steps);
    apps::print_json_figure("error", result.error);
    apps::print_json_loops(std::span(&result, 1));
}

}  // namespace

}  // namespace stencil

int main(int argc, char** argv) {
    using namespace stencil;
    Config config;
    bool json = false;
    if (const auto exit_code = parse_options(argc, argv, config, json)) return *exit_code;
    return apps::run_program("stencil", [&] {
        const Result result = run(config);
        print_table(config, result);
        if (json) print_json(config, result);
    });
}
