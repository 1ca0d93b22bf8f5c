// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/clock.hpp"

#include <gimbal/mpi/loop.hpp>

#include <algorithm>
#include <numeric>

namespace mandelbrot {

namespace {

/// Steps of z.
double steps_of(const Share& share, Range pixels) {
    const auto first = share.counts.begin();
    return static_cast<double>(std::accumulate(first + pixels.first, first + pixels.end, std::uint64_t{0}));
}

void run_chunk(const Options& options, std::int64_t step, int number, Range pixels, Share& share) {
    const Config& config = options.config;
    const Window window = picture(number).window(step, config.steps);
    const auto compute = [&] { picture(number).compute(config.image, window, pixels, share.counts); };
    share.chunks.push_back(pixels);
    if (options.ns_per_step > 0.0) {
        const double took_s = apps::seconds_of([&] {
            share.lasting.run([&] {
                compute();
                return 1e-9 * options.ns_per_step * steps_of(share, pixels);
            });
        });
        share.time_s += took_s;
        share.busy_s += took_s;
        return;
    }
    const double busy_begin_s = apps::thread_cpu_s();
    share.time_s += apps::seconds_of(compute);
    share.busy_s += apps::thread_cpu_s() - busy_begin_s;
}

}  // namespace

void run_rank_step(const Options& options, std::int64_t step, int rank, int ranks, std::vector<Share>& shares) {
    const Config& config = options.config;
    const std::int64_t pixels = config.image.pixels();
    if (options.rank_schedule == "static") {
        for (std::size_t k = 0; k < shares.size(); ++k) {
            run_chunk(options, step, config.loops[k], apps::part_of(pixels, rank, ranks), shares[k]);
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
            if (chunk) run_chunk(options, step, config.loops[k], {chunk.first, chunk.end}, shares[k]);
            return !chunk;
        });
    }
}

}  // namespace mandelbrot
