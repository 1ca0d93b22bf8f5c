// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "common/json_line.hpp"
#include "common/loop_table.hpp"

#include <omp.h>

#include <cinttypes>
#include <cstdio>
#include <span>

namespace stencil {

void print_table(const Config& config, const Result& result) {
    std::printf("stencil: %" PRId64 "^3 cells, %" PRId64 " steps, %d threads, OMP_SCHEDULE %s\n", config.size,
                config.steps, omp_get_max_threads(), apps::schedule_text());
    apps::LoopTable(7, config.serial_check).print(result);
    std::printf("difference from the exact solution %.1e of its amplitude\n", result.error);
    std::printf("checksum %016" PRIx64 "\n", result.checksum);
}

void print_json(const Config& config, const Result& result) {
    apps::print_json_head("stencil", result.checksum, config.steps);
    apps::print_json_figure("error", result.error);
    apps::print_json_loops(std::span(&result, 1));
}

}  // namespace stencil
