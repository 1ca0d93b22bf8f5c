// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    using namespace stencil;
    const Options options = parse_options(argc, argv);
    if (options.finished) return options.exit_code;
    try {
        const Result result = run(options.config);
        print_table(options.config, result);
        if (options.json) print_json(options.config, result);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "stencil: error: %s\n", error.what());
        return 1;
    }
    if (std::fflush(stdout) != 0) {
        std::fprintf(stderr, "stencil: error: cannot write to standard output\n");
        return 1;
    }
    return 0;
}
