// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/clock.hpp"
#include "common/loop_report.hpp"

#include <omp.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

namespace evrard {

Progress::Progress(bool wanted, double end_time, long steps)
    : on_(wanted && ::isatty(STDERR_FILENO) == 1), end_time_(end_time), steps_(steps) {}

void Progress::show(const Simulation& simulation) {
    constexpr double kIntervalSeconds = 0.2;
    if (!on_ || apps::wall_s() - shown_s_ < kIntervalSeconds) return;
    shown_s_ = apps::wall_s();
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

/// How well gravity, the costliest loop, is balanced over ranks: processor time of their first threads.
struct GravityBalance {
    apps::LoopTimes largest{"gravity_max", {}, {}};  // over ranks, for each time that it ran [s]
    apps::LoopTimes mean{"gravity_mean", {}, {}};
    double largest_sum_s = 0.0;  // of a rank, over the run
    double mean_sum_s = 0.0;

    /// Largest over mean, less one, of sums over the run: what one rank waits for another in the end.
    double imbalance() const { return mean_sum_s > 0.0 ? largest_sum_s / mean_sum_s - 1.0 : 0.0; }
    /// The same where ranks wait after each time it ran, as they do here.
    double imbalance_by_step() const {
        const double sum = std::accumulate(largest.times_s.begin(), largest.times_s.end(), 0.0);
        return mean_sum_s > 0.0 ? sum / mean_sum_s - 1.0 : 0.0;
    }
};

GravityBalance gravity_balance(const Simulation& simulation, const MpiExchange& exchange) {
    std::vector<double> seconds = simulation.gravity_cpu_s();
    seconds.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
    GravityBalance balance;
    balance.largest.times_s.resize(seconds.size());
    balance.mean.times_s.resize(seconds.size());
    exchange.reduce(seconds, balance.largest.times_s, balance.mean.times_s);
    for (double& s : balance.mean.times_s) s /= exchange.ranks();
    balance.largest_sum_s = balance.largest.times_s.back();
    balance.mean_sum_s = balance.mean.times_s.back();
    balance.largest.times_s.pop_back();
    balance.mean.times_s.pop_back();
    return balance;
}

void print_table(const Simulation& simulation, const Energies& e, const GravityBalance& balance) {
    std::printf("energy: kinetic %.6f  internal %.6f  gravitational %.6f  total %.6f\n", e.kinetic, e.internal,
                e.gravitational, e.total());
    std::printf("momentum %.3e  angular momentum %.3e  gravity cost cov %.4f\n", e.momentum, e.angular_momentum,
                gravity_cost_cov(simulation.particles()));
    std::printf("gravity over ranks: largest / mean - 1 of processor time %.4f, step by step %.4f\n",
                balance.imbalance(), balance.imbalance_by_step());
    std::printf("checksum %016" PRIx64 "\n", checksum(simulation.particles()));
}

void print_json(const Simulation& simulation, int ranks, double wall_s, const GravityBalance& balance) {
    apps::print_json_head("evrard", checksum(simulation.particles()), simulation.steps());
    apps::print_json_figure("ranks", ranks);
    apps::print_json_figure("particles", static_cast<double>(simulation.particles().size()));
    apps::print_json_figure("wall_s", wall_s);
    apps::print_json_figure("gravity_max_s", balance.largest_sum_s);
    apps::print_json_figure("gravity_mean_s", balance.mean_sum_s);
    apps::print_json_figure("evrard_gravity_imbalance", balance.imbalance());
    apps::print_json_figure("evrard_gravity_imbalance_by_step", balance.imbalance_by_step());
    const std::array<apps::LoopTimes, 2> loops{balance.largest, balance.mean};
    apps::print_json_loops(std::span<const apps::LoopTimes>(loops));
}

}  // namespace

void print_report(const Simulation& simulation, const MpiExchange& exchange, double wall_s, const Options& options) {
    std::array<double, kPhases> seconds{};
    std::array<double, kPhases> largest{};
    std::array<double, kPhases> sum{};
    for (std::size_t p = 0; p < kPhases; ++p) seconds[p] = simulation.phase_times().seconds(p);
    exchange.reduce(seconds, largest, sum);
    const GravityBalance balance = gravity_balance(simulation, exchange);
    if (exchange.rank() != 0) return;
    if (!options.quiet) {
        std::printf("evrard: %zu particles on %d ranks x %d threads, OMP_SCHEDULE %s\n", simulation.particles().size(),
                    exchange.ranks(), omp_get_max_threads(), apps::schedule_text());
        std::printf("steps %ld, t = %.6f, wall time %.3f s; over ranks:\n", simulation.steps(), simulation.time(),
                    wall_s);
        print_phases(largest, sum, exchange.ranks());
        print_table(simulation, simulation.energies(), balance);
    }
    if (options.json) print_json(simulation, exchange.ranks(), wall_s, balance);
}

}  // namespace evrard
