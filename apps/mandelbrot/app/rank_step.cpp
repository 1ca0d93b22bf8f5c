// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rank_step.hpp"

#include "common/clock.hpp"

#include <gimbal/mpi/loop.hpp>

#include <algorithm>

namespace mandelbrot {

namespace {

void run_chunk(const Config& config, std::int64_t step, int number, Pixels pixels, Share& share) {
    const Window window = picture(number).window(step, config.steps);
    const double busy_begin_s = apps::thread_cpu_s();
    share.time_s += apps::seconds_of([&] { picture(number).compute(config.image, window, pixels, share.counts); });
    share.busy_s += apps::thread_cpu_s() - busy_begin_s;
    share.chunks.push_back(pixels);
}

/// Block `rank` of `ranks` equal ones.
Pixels block(std::int64_t pixels, int rank, int ranks) {
    return {pixels * rank / ranks, pixels * (rank + 1) / ranks};
}

}  // namespace

void run_rank_step(const Options& options, std::int64_t step, int rank, int ranks, std::vector<Share>& shares) {
    const Config& config = options.config;
    const std::int64_t pixels = config.image.pixels();
    if (options.rank_schedule == "static") {
        for (std::size_t k = 0; k < shares.size(); ++k) {
            run_chunk(config, step, config.loops[k], block(pixels, rank, ranks), shares[k]);
        }
        return;
    }
    const gimbal::mpi::LoopOptions wish{.schedule = options.rank_schedule == "loop" ? "" : options.rank_schedule};
    std::vector<gimbal::mpi::Loop> loops;
    for (const int number : config.loops) loops.emplace_back(MPI_COMM_WORLD, picture(number).name, pixels, wish);
    std::vector<std::size_t> unfinished;
    for (std::size_t k = 0; k < loops.size(); ++k) unfinished.push_back(k);
    while (!unfinished.empty()) {
        std::erase_if(unfinished, [&](std::size_t k) {
            const auto chunk = loops[k].next();
            if (chunk) run_chunk(config, step, config.loops[k], {chunk.first, chunk.end}, shares[k]);
            return !chunk;
        });
    }
}

}  // namespace mandelbrot
