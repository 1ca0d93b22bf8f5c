// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "common/json_line.hpp"
#include "common/loop_table.hpp"

#include <omp.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace nbody {

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
    std::printf("nbody: %" PRId64 " bodies in %d clusters, %" PRId64 " steps, %d threads, OMP_SCHEDULE %s\n",
                config.bodies, config.clusters, config.steps, omp_get_max_threads(), apps::schedule_text());
    const apps::LoopTable table(6, config.serial_check);
    for (const LoopTimes& loop : simulation.loops()) table.print(loop);
    const Energies end = energies(simulation.bodies());
    std::printf("energy %.6f, changed by %.1e of itself; momentum %.1e\n", end.total(),
                (end.total() - start.total()) / std::abs(start.total()), std::sqrt(dot(end.momentum, end.momentum)));
    std::printf("checksum %016" PRIx64 "\n", checksum(simulation.bodies()));
}

void print_json(const Config& config, const Simulation& simulation) {
    apps::print_json_head("nbody", checksum(simulation.bodies()), config.steps);
    apps::print_json_loops<LoopTimes>(simulation.loops());
}

}  // namespace nbody
