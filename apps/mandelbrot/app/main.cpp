// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/program.hpp"
#include "options.hpp"
#include "ranks.hpp"
#include "report.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
    using namespace mandelbrot;
    const Options options = parse_options(argc, argv);
    if (options.command_line.finished) return options.command_line.exit_code;
    if (options.ranks) return run_ranks(argc, argv, options);
    return apps::run_program("mandelbrot", [&] {
        const std::vector<LoopResult> loops = run(options.config);
        print_table(options.config, loops);
        if (options.json) print_json(options.config, loops);
    });
}
