// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <omp.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace stencil {

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

void print_table(const Config& config, const Result& result) {
    const char* schedule = std::getenv("OMP_SCHEDULE");
    const int threads = omp_get_max_threads();
    std::printf("stencil: %" PRId64 "^3 cells, %" PRId64 " steps, %d threads, OMP_SCHEDULE %s\n", config.size,
                config.steps, threads, schedule != nullptr ? schedule : "not set");
    const double total_s = sum_of(result.times_s);
    const auto [least, most] = std::minmax_element(result.times_s.begin(), result.times_s.end());
    std::printf("  %-7s %10s %10s %10s %10s%s\n", "loop", "total [s]", "mean [ms]", "min [ms]", "max [ms]",
                config.serial_check ? "  serial [s]  efficiency" : "");
    std::printf("  %-7s %10.3f %10.3f %10.3f %10.3f", "update", total_s,
                1e3 * total_s / static_cast<double>(config.steps), 1e3 * *least, 1e3 * *most);
    if (config.serial_check) {
        const double serial_s = sum_of(result.serial_s);
        std::printf("  %10.3f  %10.3f", serial_s, serial_s / (threads * total_s));
    }
    std::printf("\ndifference from the exact solution %.1e of its amplitude\n", result.error);
    std::printf("checksum %016" PRIx64 "\n", result.checksum);
}

void print_json(const Config& config, const Result& result) {
    std::printf("{\"program\": \"stencil\", \"checksum\": \"%016" PRIx64 "\", \"steps\": %" PRId64
                ", \"threads\": %d, \"error\": %.3e, \"loops\": [{\"name\": \"update\"",
                result.checksum, config.steps, omp_get_max_threads(), result.error);
    print_array("times_s", result.times_s);
    if (config.serial_check) print_array("serial_s", result.serial_s);
    std::printf("}]}\n");
}

}  // namespace stencil
