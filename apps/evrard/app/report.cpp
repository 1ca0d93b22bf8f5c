// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "common/loop_table.hpp"

#include <omp.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace evrard {

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Progress::Progress(bool wanted, double end_time, long steps)
    : on_(wanted && ::isatty(STDERR_FILENO) == 1), end_time_(end_time), steps_(steps) {}

void Progress::show(const Simulation& simulation) {
    constexpr double kIntervalSeconds = 0.2;
    if (!on_ || now_s() - shown_s_ < kIntervalSeconds) return;
    shown_s_ = now_s();
    const double share = std::isfinite(end_time_)
                             ? simulation.time() / end_time_
                             : static_cast<double>(simulation.steps()) / static_cast<double>(steps_);
    std::fprintf(stderr, "\r\033[Kevrard: step %ld  t = %.4f  dt = %.5f  %3.0f %%", simulation.steps(),
                 simulation.time(), simulation.dt(), 100.0 * share);
    std::fflush(stderr);
}

void Progress::clear() {
    if (on_) std::fputs("\r\033[K", stderr);
}

namespace {

void print_phases(const std::array<double, kPhases>& largest, const std::array<double, kPhases>& sum, int ranks) {
    std::printf("  %-16s %12s %12s\n", "phase", "slowest [s]", "mean [s]");
    for (std::size_t p = 0; p < kPhases; ++p) {
        std::printf("  %-16s %12.3f %12.3f\n", kPhaseNames[p], largest[p], sum[p] / ranks);
    }
}

}  // namespace

void print_report(const Simulation& simulation, const MpiExchange& exchange, double wall_s, bool quiet) {
    std::array<double, kPhases> seconds{};
    std::array<double, kPhases> largest{};
    std::array<double, kPhases> sum{};
    for (std::size_t p = 0; p < kPhases; ++p) seconds[p] = simulation.phase_times().seconds(p);
    exchange.reduce(seconds, largest, sum);
    if (exchange.rank() != 0 || quiet) return;
    std::printf("evrard: %zu particles on %d ranks x %d threads, OMP_SCHEDULE %s\n", simulation.particles().size(),
                exchange.ranks(), omp_get_max_threads(), apps::schedule_text());
    std::printf("steps %ld, t = %.6f, wall time %.3f s; over ranks:\n", simulation.steps(), simulation.time(), wall_s);
    print_phases(largest, sum, exchange.ranks());
    const Energies e = simulation.energies();
    std::printf("energy: kinetic %.6f  internal %.6f  gravitational %.6f  total %.6f\n", e.kinetic, e.internal,
                e.gravitational, e.total());
    std::printf("momentum %.3e  angular momentum %.3e  gravity cost cov %.4f\n", e.momentum, e.angular_momentum,
                gravity_cost_cov(simulation.particles()));
    std::printf("checksum %016" PRIx64 "\n", checksum(simulation.particles()));
}

}  // namespace evrard
