// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/loop_report.hpp"
#include "common/mpi_program.hpp"
#include "program.hpp"

#include <mpi.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>

namespace pisolver {

namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinMean = 200;      // with fewer steps the next term of the midpoint rule's error shows
constexpr std::int64_t kMaxMean = 1000000;  // with more, rounding does
constexpr double kMaxImbalance = 30.0;
constexpr double kMaxNsPerStep = 1000.0;

}  // namespace

Options parse_options(int argc, char** argv, int ranks, bool speak) {
    Options options;
    Work& work = options.work;
    std::int64_t blocks = 0;
    auto seed = static_cast<std::int64_t>(work.seed);
    const CLI::Range count(std::int64_t{1}, kMaxCount);
    const std::map<std::string, Spread> spreads{{"block", Spread::block}, {"iid", Spread::iid}};

    CLI::App app{
        "Pi by the midpoint rule, again and again: iterations whose cost differs by as much as is asked for, on MPI\n"
        "ranks. Either every rank could run every iteration, or ranks own iterations and steal (--distributed).",
        "pisolver"};
    app.add_option("--iterations", work.iterations, "iterations of the loop")->check(count)->capture_default_str();
    app.add_option("--mean", work.mean, "midpoint steps of an iteration, on average")
        ->check(CLI::Range(kMinMean, kMaxMean))
        ->capture_default_str();
    app.add_option("--imbalance", work.imbalance, "standard deviation of the steps before they are cut [% of the mean]")
        ->capture_default_str();
    app.add_option("--dist", work.spread, "block: one value for each block of iterations; iid: one for each iteration")
        ->transform(CLI::CheckedTransformer(spreads).description(""))
        ->type_name("block|iid")
        ->default_str("block");
    app.add_option("--blocks", blocks, "number of such blocks; 0: as many as there are ranks")
        ->check(CLI::Range(std::int64_t{0}, kMaxCount))
        ->capture_default_str();
    app.add_option("--seed", seed, "of the steps")
        ->check(CLI::Range(std::int64_t{0}, kMaxCount))
        ->capture_default_str();
    app.add_option("--ns-per-step", options.ns_per_step,
                   "how long a midpoint step lasts at least [ns]: iterations sleep for the rest, so that ranks which "
                   "share cores balance like ranks that have their own; 0: no sleeping")
        ->capture_default_str();
    app.add_option("--steps", options.steps, "time steps")->check(count)->capture_default_str();
    app.add_option("--warm-up", options.warm_up, "time steps before those, which are not timed")
        ->check(CLI::Range(std::int64_t{0}, kMaxCount))
        ->capture_default_str();
    app.add_flag("--distributed", options.distributed, "a rank holds its own iterations only; others steal them");
    app.add_option("--schedule", options.schedule,
                   "static: equal blocks, without Gimbal; loop: GIMBAL_MPI_SCHEDULE or stealing; or a schedule's name")
        ->capture_default_str();
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.exit_code = apps::read_command_line(
        app, argc, argv,
        [&] {
            apps::require(work.imbalance >= 0.0 && work.imbalance <= kMaxImbalance, "--imbalance",
                          "must lie between 0 and 30");  // CLI11's own range check lets a NaN pass
            apps::require(options.ns_per_step >= 0.0 && options.ns_per_step <= kMaxNsPerStep, "--ns-per-step",
                          "must lie between 0 and 1000");
            apps::require(!options.schedule.empty(), "--schedule", "must not be empty");
            apps::require(!options.distributed || options.schedule == "static" || options.schedule == "loop",
                          "--schedule", "is static or loop where items are --distributed");
            const std::string refusal = apps::schedule_refusal(options.schedule);
            apps::require(refusal.empty(), "--schedule", refusal.c_str());
        },
        speak);
    work.blocks = blocks > 0 ? blocks : ranks;
    work.seed = static_cast<std::uint64_t>(seed);
    return options;
}

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
                options.steps, result.sums.chunks, result.sums.steals, result.sums.attempts, result.sums.stolen,
                result.sums.bytes, result.max_error);
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
    apps::print_json_figure("chunks", static_cast<double>(result.sums.chunks));
    apps::print_json_figure("steals", static_cast<double>(result.sums.steals));
    apps::print_json_figure("steal_attempts", static_cast<double>(result.sums.attempts));
    apps::print_json_figure("stolen", static_cast<double>(result.sums.stolen));
    apps::print_json_figure("bytes", static_cast<double>(result.sums.bytes));
    apps::print_json_figure("max_error", result.max_error);
    const std::array<apps::LoopTimes, 4> loops{result.wall_max, result.wall_mean, result.busy_max, result.busy_mean};
    apps::print_json_loops(std::span<const apps::LoopTimes>(loops));
}

}  // namespace pisolver

int main(int argc, char** argv) {
    using namespace pisolver;
    return apps::run_mpi_program("pisolver", argc, argv, [&](int rank) {
        int ranks = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        const Options options = parse_options(argc, argv, ranks, rank == 0);
        if (options.exit_code) return *options.exit_code;
        const Result result = run(options, rank, ranks);
        if (!result.fault.empty()) {
            if (rank == 0) std::fprintf(stderr, "pisolver: error: %s\n", result.fault.c_str());
            return 1;
        }
        if (rank == 0) print_table(options, ranks, result);
        if (rank == 0 && options.json) print_json(options, ranks, result);
        return 0;
    });
}
