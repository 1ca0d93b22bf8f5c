// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/program.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sequence.hpp"

int main(int argc, char** argv) {
    using namespace restore;
    const Options options = parse_options(argc, argv);
    if (options.command_line.finished) return options.command_line.exit_code;
    return apps::run_program("restore", [&] {
        const Summary summary = restore_frames(options);
        if (options.output == "-") return;  // standard output is the frames'
        print_table(options, summary);
        if (options.json) print_json(summary);
    });
}
