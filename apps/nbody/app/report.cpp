// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <omp.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace nbody {

namespace {

void print_array(const char* key, const std::vector<double>& values) {
    std::printf(", \"%s\": [", key);
    for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.9f", i > 0 ? ", " : "", values[i]);
    std::printf("]");
}

double sum_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

void print_loop(const LoopTimes& loop, bool checked, int threads) {
    const double total_s = sum_of(loop.times_s);
    const auto [least, most] = std::minmax_element(loop.times_s.begin(), loop.times_s.end());
    std::printf("  %-6s %10.3f %10.3f %10.3f %10.3f", loop.name.c_str(), total_s,
                1e3 * total_s / static_cast<double>(loop.times_s.size()), 1e3 * *least, 1e3 * *most);
    if (checked) {
        const double serial_s = sum_of(loop.serial_s);
        std::printf("  %10.3f  %10.3f", serial_s, serial_s / (threads * total_s));
    }
    std::printf("\n");
}

}  // namespace

void print_work(const char* when, const Bodies& bodies) {
    const double sum = std::accumulate(bodies.interactions.begin(), bodies.interactions.end(), 0.0);
    std::printf("work %s: %.1f interactions per body, cov %.3f; imbalance of equal blocks:", when,
                sum / static_cast<double>(bodies.size()), work_cov(bodies));
    for (const std::size_t workers : {2U, 4U, 8U, 16U}) {
        std::printf("  %.0f %% of %zu", static_imbalance(bodies, workers), workers);
    }
    std::printf("\n");
}

void print_table(const Config& config, const Simulation& simulation, const Energies& start) {
    const char* schedule = std::getenv("OMP_SCHEDULE");
    const int threads = omp_get_max_threads();
    std::printf("nbody: %" PRId64 " bodies in %d clusters, %" PRId64 " steps, %d threads, OMP_SCHEDULE %s\n",
                config.bodies, config.clusters, config.steps, threads, schedule != nullptr ? schedule : "not set");
    std::printf("  %-6s %10s %10s %10s %10s%s\n", "loop", "total [s]", "mean [ms]", "min [ms]", "max [ms]",
                config.serial_check ? "  serial [s]  efficiency" : "");
    for (const LoopTimes& loop : simulation.loops()) print_loop(loop, config.serial_check, threads);
    const Energies end = energies(simulation.bodies());
    std::printf("energy %.6f, changed by %.1e of itself; momentum %.1e\n", end.total(),
                (end.total() - start.total()) / std::abs(start.total()), std::sqrt(dot(end.momentum, end.momentum)));
    std::printf("checksum %016" PRIx64 "\n", checksum(simulation.bodies()));
}

void print_json(const Config& config, const Simulation& simulation) {
    std::printf("{\"program\": \"nbody\", \"checksum\": \"%016" PRIx64 "\", \"steps\": %" PRId64
                ", \"threads\": %d, \"loops\": [",
                checksum(simulation.bodies()), config.steps, omp_get_max_threads());
    const char* separator = "";
    for (const LoopTimes& loop : simulation.loops()) {
        std::printf("%s{\"name\": \"%s\"", separator, loop.name.c_str());
        print_array("times_s", loop.times_s);
        if (config.serial_check) print_array("serial_s", loop.serial_s);
        std::printf("}");
        separator = ", ";
    }
    std::printf("]}\n");
}

}  // namespace nbody
