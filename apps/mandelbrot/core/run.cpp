// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include "common/clock.hpp"
#include "common/mix.hpp"
#include "loops.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

namespace mandelbrot {

namespace {

struct Loop {
    const char* name;
    void (*compute)(const Image&, const Window&, std::span<std::uint32_t>);
    Window (*window)(std::int64_t step, std::int64_t steps);
};

constexpr std::array<Loop, 3> kLoops{{
    {"L1", constant_loop, [](std::int64_t, std::int64_t) { return constant_window(); }},
    {"L2", rising_loop, rising_window},
    {"L3", falling_loop, falling_window},
}};

using Counts = std::vector<std::uint32_t>;

void run_loop(const Config& config, std::int64_t step, const Loop& loop, Counts& counts, LoopResult& result) {
    const Window window = loop.window(step, config.steps);
    result.times_s.push_back(apps::seconds_of([&] { loop.compute(config.image, window, counts); }));
    for (const std::uint32_t count : counts) result.z_steps += count;
    result.checksum += checksum(counts);
    if (!config.serial_check) return;

    Counts again(counts.size());
    result.serial_s.push_back(apps::seconds_of([&] { serial_loop(config.image, window, again); }));
    if (again != counts) throw std::runtime_error(result.name + ": counts differ from those of one thread");
}

}  // namespace

std::uint64_t checksum(std::span<const std::uint32_t> counts) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) sum += apps::mix((i << 32) | counts[i]);
    return sum;
}

std::uint64_t checksum(std::span<const LoopResult> loops) {
    std::uint64_t sum = 0;
    for (const LoopResult& loop : loops) sum = apps::mix(sum + loop.checksum);
    return sum;
}

std::vector<LoopResult> run(const Config& config) {
    std::vector<LoopResult> results;
    for (const int number : config.loops) {
        results.emplace_back().name = kLoops.at(static_cast<std::size_t>(number) - 1).name;
    }
    Counts counts(static_cast<std::size_t>(config.image.pixels()));
    for (std::int64_t step = 0; step < config.steps; ++step) {
        for (std::size_t k = 0; k < results.size(); ++k) {
            const Loop& loop = kLoops.at(static_cast<std::size_t>(config.loops[k]) - 1);
            run_loop(config, step, loop, counts, results[k]);
        }
    }
    return results;
}

}  // namespace mandelbrot
