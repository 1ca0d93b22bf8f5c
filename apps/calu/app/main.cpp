// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/program.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
    using namespace calu;
    const Options options = parse_options(argc, argv);
    if (options.command_line.finished) return options.command_line.exit_code;
    return apps::run_program("calu", [&] {
        const Result result = run(options.config);
        print_table(options.config, result);
        if (options.json) print_json(options.config, result);
    });
}
