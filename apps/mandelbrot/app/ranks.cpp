// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/clock.hpp"
#include "common/loop_report.hpp"
#include "common/mpi_program.hpp"
#include "common/random.hpp"

#include <mpi.h>

#include <cinttypes>
#include <cstdio>
#include <numeric>

namespace mandelbrot {

namespace {

constexpr int kWrongInput = 2;

/// What a run over ranks gave, on all ranks alike.
struct RankResult {
    std::vector<LoopResult> loops;  // times_s: slowest rank's time in its chunks
    LoopResult step;                // all loops together, until the slowest rank is through
    std::vector<double> busy_s;     // [steps] processor time of this rank's first thread
    std::uint64_t chunks = 0;
    bool good = true;  // every pixel of every loop was computed exactly once, in every step
};

std::uint64_t pixel_mark(std::int64_t pixel) {
    return apps::mix(static_cast<std::uint64_t>(pixel) + 0x9e3779b97f4a7c15U);
}

/// Sums over all ranks that say what a loop gave.
struct Sums {
    std::uint64_t checksum = 0;
    std::uint64_t z_steps = 0;
    std::uint64_t pixels = 0;
    std::uint64_t marks = 0;  // of the pixels: equal those of the image only if each is there once
    std::uint64_t chunks = 0;
};

Sums sum_over_ranks(const Share& share) {
    Sums sums;
    for (const Range& chunk : share.chunks) {
        const auto counts = chunk.of(share.counts);
        sums.checksum += checksum(counts, static_cast<std::uint64_t>(chunk.first));
        sums.z_steps += std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
        sums.pixels += counts.size();
        for (std::int64_t i = chunk.first; i < chunk.end; ++i) sums.marks += pixel_mark(i);
        ++sums.chunks;
    }
    static_assert(sizeof(Sums) == 5 * sizeof(std::uint64_t));
    MPI_Allreduce(MPI_IN_PLACE, &sums, 5, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sums;
}

void one_step(const Options& options, std::int64_t step, int rank, int ranks, RankResult& result) {
    const std::int64_t pixels = options.config.image.pixels();
    std::vector<Share> shares(options.config.loops.size());
    for (Share& share : shares) share.counts.resize(static_cast<std::size_t>(pixels));
    MPI_Barrier(MPI_COMM_WORLD);
    result.step.times_s.push_back(apps::seconds_of([&] { run_rank_step(options, step, rank, ranks, shares); }));
    result.busy_s.push_back(0.0);
    std::uint64_t marks = 0;
    for (std::int64_t i = 0; i < pixels; ++i) marks += pixel_mark(i);
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const Sums sums = sum_over_ranks(shares[k]);
        LoopResult& loop = result.loops[k];
        loop.times_s.push_back(shares[k].time_s);
        loop.checksum += sums.checksum;
        loop.z_steps += sums.z_steps;
        result.busy_s.back() += shares[k].busy_s;
        result.chunks += sums.chunks;
        result.good = result.good && sums.pixels == static_cast<std::uint64_t>(pixels) && sums.marks == marks;
    }
}

/// Largest sum over mean sum, less one, of the steps' times. @param largest, mean  [steps] over ranks
double imbalance(const std::vector<double>& largest, const std::vector<double>& mean) {
    const double mean_s = std::accumulate(mean.begin(), mean.end(), 0.0);
    return mean_s > 0.0 ? std::accumulate(largest.begin(), largest.end(), 0.0) / mean_s - 1.0 : 0.0;
}

void print_rank_json(const Options& options, int ranks, const RankResult& result, double busy_imbalance) {
    apps::print_json_head("mandelbrot", checksum(result.loops), options.config.steps);
    apps::print_json_figure("ranks", ranks);
    apps::print_json_text("rank_schedule", options.rank_schedule.c_str());
    apps::print_json_figure("chunks", static_cast<double>(result.chunks));
    apps::print_json_figure("imbalance", busy_imbalance);
    std::vector<LoopResult> loops = result.loops;
    loops.push_back(result.step);
    apps::print_json_loops(std::span<const LoopResult>(loops));
}

int all_steps(const Options& options, int rank, int ranks) {
    RankResult result;
    for (const int number : options.config.loops) result.loops.emplace_back().name = picture(number).name;
    result.step.name = "step";
    for (std::int64_t step = 0; step < options.config.steps; ++step) one_step(options, step, rank, ranks, result);

    std::vector<double> mean(result.busy_s.size());
    for (LoopResult& loop : result.loops) apps::largest_and_mean(loop.times_s, mean);
    apps::largest_and_mean(result.step.times_s, mean);
    apps::largest_and_mean(result.busy_s, mean);
    const double busy_imbalance = imbalance(result.busy_s, mean);
    if (!result.good) {
        if (rank == 0) std::fputs("mandelbrot: error: a pixel was not computed exactly once\n", stderr);
        return 1;
    }
    if (rank != 0) return 0;
    std::printf("ranks %d, rank schedule %s, %" PRIu64 " chunks, imbalance over ranks (max / mean - 1) %.4f\n", ranks,
                options.rank_schedule.c_str(), result.chunks, busy_imbalance);
    print_table(options.config, result.loops);
    if (options.json) print_rank_json(options, ranks, result, busy_imbalance);
    return 0;
}

}  // namespace

int run_ranks(int& argc, char**& argv, const Options& options) {
    return apps::run_mpi_program("mandelbrot", argc, argv, [&](int rank) {
        if (const std::string refusal = apps::schedule_refusal(options.rank_schedule); !refusal.empty()) {
            if (rank == 0) std::fprintf(stderr, "mandelbrot: error: --rank-schedule: %s\n", refusal.c_str());
            return kWrongInput;
        }
        int ranks = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        return all_steps(options, rank, ranks);
    });
}

}  // namespace mandelbrot
