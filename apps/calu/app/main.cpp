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
#include <optional>
#include <span>
#include <vector>

namespace calu {

namespace {

constexpr int kMaxSize = 20000;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
/// @return the exit code where nothing is to be run
std::optional<int> parse_options(int argc, char** argv, Config& config, bool& json) {
    CLI::App app{
        "LU factorisation of a random matrix with tournament pivoting (CALU): one loop per step over the blocks of\n"
        "columns right of the panel. The loop is schedule(runtime): OMP_SCHEDULE chooses how it is shared out.",
        "calu"};
    app.add_option("--size", config.size, "rows and columns")->check(CLI::Range(2, kMaxSize))->capture_default_str();
    app.add_option("--block", config.blocks.width, "columns of a block")
        ->check(CLI::Range(1, kMaxSize))
        ->capture_default_str();
    app.add_option("--leaves", config.blocks.leaves, "groups of rows in the first round of a tournament")
        ->check(CLI::Range(1, kMaxSize))
        ->capture_default_str();
    app.add_option("--repeat", config.repeat, "factorisations of the same matrix")
        ->check(CLI::Range(std::int64_t{1}, kMaxCount))
        ->capture_default_str();
    apps::add_seed(app, config.seed, "chooses the matrix");
    app.add_flag("--serial-check", config.serial_check, "repeat it on one thread: time it and compare");
    app.add_flag("--json", json, "print the result as a last line of JSON");
    return apps::read_command_line(app, argc, argv, [] {});
}

double gflops(const Config& config, const Result& result) {
    const double n = config.size;
    return 2e-9 / 3 * n * n * n / median_s(result);
}

/// A table of the loop, speed, residual and checksum.
void print_table(const Config& config, const Result& result) {
    std::printf("calu: %d x %d, blocks of %d columns, %" PRId64 " factorisations, %d threads, OMP_SCHEDULE %s\n",
                config.size, config.size, config.blocks.width, config.repeat, omp_get_max_threads(),
                apps::schedule_text());
    if (!result.times_s.empty()) apps::LoopTable(7, config.serial_check).print(result);
    std::printf("median of factorisations %.3f s, %.1f GFLOP/s\n", median_s(result), gflops(config, result));
    std::printf("residual ||PA - LU|| / (||A|| n eps) = %.4f\n", result.residual);
    std::printf("checksum %016" PRIx64 "\n", result.checksum);
}

/// One line: {"program", "checksum", "steps", "threads", "residual", "total_s", "gflops", "loops": [...]}
void print_json(const Config& config, const Result& result) {
    apps::print_json_head("calu", result.checksum, static_cast<std::int64_t>(result.times_s.size()));
    apps::print_json_figure("residual", result.residual);
    apps::print_json_figure("total_s", median_s(result));
    apps::print_json_figure("gflops", gflops(config, result));
    apps::print_json_loops(std::span(&result, 1));
}

}  // namespace

}  // namespace calu

int main(int argc, char** argv) {
    using namespace calu;
    Config config;
    bool json = false;
    if (const auto exit_code = parse_options(argc, argv, config, json)) return *exit_code;
    return apps::run_program("calu", [&] {
        const Result result = run(config);
        print_table(config, result);
        if (json) print_json(config, result);
    });
}
