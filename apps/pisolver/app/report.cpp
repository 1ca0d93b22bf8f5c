// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "common/json_line.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace pisolver {

namespace {

double sum_of(const apps::LoopTimes& times) {
    return std::accumulate(times.times_s.begin(), times.times_s.end(), 0.0);
}

/// Largest over mean, less one; 0 if nothing was measured.
double busy_imbalance(const Result& result) {
    const double mean_s = sum_of(result.busy_mean);
    return mean_s > 0.0 ? sum_of(result.busy_max) / mean_s - 1.0 : 0.0;
}

const char* data_text(const Options& options) {
    return options.distributed ? "distributed" : "replicated";
}

const char* spread_text(const Options& options) {
    return options.work.spread == Spread::block ? "block" : "iid";
}

}  // namespace

void print_table(const Options& options, int ranks, const Result& result) {
    const Work& work = options.work;
    std::printf("pisolver: %" PRId64 " iterations of %" PRId64 " +- %g %% steps (%s, %" PRId64
                " blocks), %s on %d ranks, schedule %s\n",
                work.iterations, work.mean, work.imbalance, spread_text(options), work.blocks, data_text(options),
                ranks, options.schedule.c_str());
    std::printf("  %-28s %10s %10s %11s\n", "sum over steps", "max [s]", "mean [s]", "max/mean-1");
    const double wall_max_s = sum_of(result.wall_max);
    const double wall_mean_s = sum_of(result.wall_mean);
    std::printf("  %-28s %10.4f %10.4f %11.4f\n", "wall time of the loop", wall_max_s, wall_mean_s,
                wall_max_s / wall_mean_s - 1.0);
    std::printf("  %-28s %10.4f %10.4f %11.4f\n", "of it in iterations", sum_of(result.busy_max),
                sum_of(result.busy_mean), busy_imbalance(result));
    std::printf("  %-28s %32.4f\n", "equal blocks would have", static_imbalance(work, ranks));
    std::printf("%" PRId64 " steps, %" PRId64 " chunks, %" PRId64 " steals of %" PRId64 " tries, %" PRId64
                " iterations and %" PRId64 " bytes moved, largest error %.3e\n",
                options.steps, result.chunks, result.steals, result.attempts, result.stolen, result.bytes,
                result.max_error);
    std::printf("checksum %016" PRIx64 "\n", result.checksum);
}

void print_json(const Options& options, int ranks, const Result& result) {
    apps::print_json_head("pisolver", result.checksum, options.steps, 1);
    apps::print_json_text("data", data_text(options));
    apps::print_json_text("dist", spread_text(options));
    apps::print_json_text("schedule", options.schedule.c_str());
    apps::print_json_figure("ranks", ranks);
    apps::print_json_figure("iterations", static_cast<double>(options.work.iterations));
    apps::print_json_figure("mean", static_cast<double>(options.work.mean));
    apps::print_json_figure("imbalance_percent", options.work.imbalance);
    apps::print_json_figure("total_work", static_cast<double>(total_work(options.work)));
    apps::print_json_figure("static_imbalance", static_imbalance(options.work, ranks));
    apps::print_json_figure("loop_s", sum_of(result.wall_max));
    apps::print_json_figure("wall_mean_s", sum_of(result.wall_mean));
    apps::print_json_figure("busy_max_s", sum_of(result.busy_max));
    apps::print_json_figure("busy_mean_s", sum_of(result.busy_mean));
    apps::print_json_figure("ideal_s", sum_of(result.busy_mean));
    apps::print_json_figure("imbalance", busy_imbalance(result));
    apps::print_json_figure("chunks", static_cast<double>(result.chunks));
    apps::print_json_figure("steals", static_cast<double>(result.steals));
    apps::print_json_figure("steal_attempts", static_cast<double>(result.attempts));
    apps::print_json_figure("stolen", static_cast<double>(result.stolen));
    apps::print_json_figure("bytes", static_cast<double>(result.bytes));
    apps::print_json_figure("max_error", result.max_error);
    const std::array<apps::LoopTimes, 4> loops{result.wall_max, result.wall_mean, result.busy_max, result.busy_mean};
    apps::print_json_loops(std::span<const apps::LoopTimes>(loops));
}

}  // namespace pisolver
