// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <omp.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace mandelbrot {

namespace {

void print_array(const char* key, const std::vector<double>& values) {
    std::printf(", \"%s\": [", key);
    for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.9f", i > 0 ? ", " : "", values[i]);
    std::printf("]");
}

double sum_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

void print_table(const Config& config, std::span<const LoopResult> loops) {
    const char* schedule = std::getenv("OMP_SCHEDULE");
    const int threads = omp_get_max_threads();
    std::printf("mandelbrot: %" PRId64 " x %" PRId64 " pixels, at most %" PRId64 " iterations, %" PRId64
                " steps, %d threads, OMP_SCHEDULE %s\n",
                config.image.width, config.image.height, config.image.max_iterations, config.steps, threads,
                schedule != nullptr ? schedule : "not set");
    std::printf("  %-4s %10s %10s %10s %10s %14s%s\n", "loop", "total [s]", "mean [ms]", "min [ms]", "max [ms]",
                "z steps", config.serial_check ? "  serial [s]  efficiency" : "");
    for (const LoopResult& loop : loops) {
        const double total_s = sum_of(loop.times_s);
        const auto [least, most] = std::minmax_element(loop.times_s.begin(), loop.times_s.end());
        std::printf("  %-4s %10.3f %10.3f %10.3f %10.3f %14" PRIu64, loop.name.c_str(), total_s,
                    1e3 * total_s / static_cast<double>(loop.times_s.size()), 1e3 * *least, 1e3 * *most, loop.z_steps);
        if (config.serial_check) {
            const double serial_s = sum_of(loop.serial_s);
            std::printf("  %10.3f  %10.3f", serial_s, serial_s / (threads * total_s));
        }
        std::printf("\n");
    }
    std::printf("checksum %016" PRIx64 "\n", checksum(loops));
}

void print_json(const Config& config, std::span<const LoopResult> loops) {
    std::printf("{\"program\": \"mandelbrot\", \"checksum\": \"%016" PRIx64 "\", \"steps\": %" PRId64
                ", \"threads\": %d, \"loops\": [",
                checksum(loops), config.steps, omp_get_max_threads());
    for (std::size_t k = 0; k < loops.size(); ++k) {
        std::printf("%s{\"name\": \"%s\"", k > 0 ? ", " : "", loops[k].name.c_str());
        print_array("times_s", loops[k].times_s);
        if (config.serial_check) print_array("serial_s", loops[k].serial_s);
        std::printf("}");
    }
    std::printf("]}\n");
}

}  // namespace mandelbrot
