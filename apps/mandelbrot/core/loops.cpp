// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include "common/clock.hpp"
#include "common/random.hpp"
#include "common/turns.h"

#include <array>
#include <cstddef>
#include <stdexcept>

namespace mandelbrot {

void constant_loop(const Image& image, const Window& window, Range pixels, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = pixels.first; i < pixels.end; ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void rising_loop(const Image& image, const Window& window, Range pixels, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = pixels.first; i < pixels.end; ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void falling_loop(const Image& image, const Window& window, Range pixels, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = pixels.first; i < pixels.end; ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void serial_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts) {
    for (std::int64_t i = 0; i < image.pixels(); ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

const Picture& picture(int number) {
    static constexpr std::array<Picture, 3> kPictures{{
        {"L1", constant_loop, [](std::int64_t, std::int64_t) { return constant_window(); }},
        {"L2", rising_loop, rising_window},
        {"L3", falling_loop, falling_window},
    }};
    return kPictures.at(static_cast<std::size_t>(number) - 1);
}

namespace {

using Counts = std::vector<std::uint32_t>;

void run_loop(const Config& config, std::int64_t step, const Picture& loop, Counts& counts, LoopResult& result) {
    const Window window = loop.window(step, config.steps);
    result.times_s.push_back(apps::seconds_of([&] {
        loop.compute(config.image, window, {0, config.image.pixels()}, counts);
    }));
    for (const std::uint32_t count : counts) result.z_steps += count;
    result.checksum += checksum(counts);
    if (!config.serial_check) return;

    Counts again(counts.size());
    result.serial_s.push_back(apps::seconds_of([&] { serial_loop(config.image, window, again); }));
    if (again != counts) throw std::runtime_error(result.name + ": counts differ from those of one thread");
}

}  // namespace

std::uint64_t checksum(std::span<const std::uint32_t> counts, std::uint64_t first) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) sum += apps::mix(((first + i) << 32) | counts[i]);
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
        results.emplace_back().name = picture(number).name;
    }
    Counts counts(static_cast<std::size_t>(config.image.pixels()));
    for (std::int64_t step = 0; step < config.steps; ++step) {
        for (std::size_t k = 0; k < results.size(); ++k) {
            run_loop(config, step, picture(config.loops[k]), counts, results[k]);
        }
        end_of_step();
    }
    return results;
}

}  // namespace mandelbrot
