// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/loop_report.hpp"
#include "common/program.hpp"
#include "program.hpp"

#include <omp.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

namespace mandelbrot {

namespace {

constexpr std::int64_t kMaxSide = 65536;  // a pixel's number has 32 bits in the checksum
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr double kMaxNsPerStep = 1e5;

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    Image& image = options.config.image;
    std::int64_t size = 0;
    const CLI::Range side(std::int64_t{1}, kMaxSide);
    const CLI::Range count(std::int64_t{1}, kMaxCount);

    CLI::App app{
        "Pictures of the set of z^4 + c: three loops over pixels per time step, whose imbalance is constant (L1),\n"
        "grows (L2) and shrinks (L3). Every loop is schedule(runtime): OMP_SCHEDULE chooses how it is shared out.",
        "mandelbrot"};
    auto* width = app.add_option("--width", image.width, "pixels in a row")->check(side)->capture_default_str();
    auto* height = app.add_option("--height", image.height, "number of rows")->check(side)->capture_default_str();
    app.add_option("--size", size, "width and height")->check(side)->excludes(width)->excludes(height);
    app.add_option("--max-iterations", image.max_iterations, "largest count of a pixel")
        ->check(count)
        ->capture_default_str();
    apps::add_steps(app, options.config.steps);
    app.add_option("--loops", options.config.loops, "loops of a time step, in this order, each at most once")
        ->delimiter(',')
        ->check(CLI::Range(1, 3))
        ->capture_default_str();
    auto* check = app.add_flag("--serial-check", options.config.serial_check,
                               "repeat every loop on one thread: time it and compare");
    auto* ranks =
        app.add_flag("--ranks", options.ranks, "under mpiexec: share pixels out over ranks, and then threads");
    ranks->excludes(check);
    app.add_option("--rank-schedule", options.rank_schedule,
                   "with --ranks: static (equal blocks, without Gimbal), loop (what GIMBAL_MPI_SCHEDULE says) or a "
                   "schedule's name")
        ->needs(ranks)
        ->capture_default_str();
    app.add_option("--ns-per-step", options.ns_per_step,
                   "with --ranks: how long a step of z lasts at least [ns]: ranks sleep for the rest, so that those "
                   "which share cores balance like ranks that have their own; 0: no sleeping")
        ->needs(ranks)
        ->capture_default_str();
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.exit_code = apps::read_command_line(app, argc, argv, [&] {
        apps::require(!options.rank_schedule.empty(), "--rank-schedule", "must not be empty");
        apps::require(options.ns_per_step >= 0.0 && options.ns_per_step <= kMaxNsPerStep, "--ns-per-step",
                      "must lie between 0 and 100000");
        const auto& loops = options.config.loops;
        for (const int loop : loops) {
            apps::require(std::count(loops.begin(), loops.end(), loop) == 1, "--loops", "names one twice");
        }
    });
    if (size > 0) image.width = image.height = size;
    return options;
}

void print_table(const Config& config, std::span<const LoopResult> loops) {
    std::printf("mandelbrot: %" PRId64 " x %" PRId64 " pixels, at most %" PRId64 " iterations, %" PRId64
                " steps, %d threads, OMP_SCHEDULE %s\n",
                config.image.width, config.image.height, config.image.max_iterations, config.steps,
                omp_get_max_threads(), apps::schedule_text());
    const apps::LoopTable table(4, config.serial_check, "z steps");
    for (const LoopResult& loop : loops) table.print(loop, loop.z_steps);
    std::printf("checksum %016" PRIx64 "\n", checksum(loops));
}

void print_json(const Config& config, std::span<const LoopResult> loops) {
    apps::print_json_head("mandelbrot", checksum(loops), config.steps);
    apps::print_json_loops(loops);
}

#ifndef MANDELBROT_RANKS
int run_ranks(int&, char**&, const Options&) {
    std::fputs("mandelbrot: error: --ranks: this build has no MPI\n", stderr);
    return 2;
}
#endif

}  // namespace mandelbrot

int main(int argc, char** argv) {
    using namespace mandelbrot;
    const Options options = parse_options(argc, argv);
    if (options.exit_code) return *options.exit_code;
    if (options.ranks) return run_ranks(argc, argv, options);
    return apps::run_program("mandelbrot", [&] {
        const std::vector<LoopResult> loops = run(options.config);
        print_table(options.config, loops);
        if (options.json) print_json(options.config, loops);
    });
}
