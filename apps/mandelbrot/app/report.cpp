// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "common/json_line.hpp"
#include "common/loop_table.hpp"

#include <omp.h>

#include <cinttypes>
#include <cstdio>

namespace mandelbrot {

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

}  // namespace mandelbrot
