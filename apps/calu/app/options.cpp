// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>

namespace calu {

namespace {

constexpr int kMaxSize = 20000;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    Config& config = options.config;
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
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.command_line = apps::read_command_line(app, argc, argv, [] {});
    return options;
}

}  // namespace calu
