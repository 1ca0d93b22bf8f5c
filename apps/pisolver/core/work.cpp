// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work.hpp"

#include "common/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pisolver {

namespace {

double spread_steps(const Work& work) {
    return work.imbalance / 100.0 * static_cast<double>(work.mean);
}

}  // namespace

std::int64_t supernormal(double mean, double sd, std::uint64_t seed, std::uint64_t key) {
    apps::Random random(seed + 0x632be59bd9b4e019U * (key + 1));
    while (true) {
        const double value = std::round(mean + sd * random.normal());
        if (std::abs(value - mean) <= sd) return std::llround(value);
    }
}

std::vector<std::int64_t> make_work(const Work& work, Range range) {
    std::vector<std::int64_t> steps(static_cast<std::size_t>(range.size()));
    const auto mean = static_cast<double>(work.mean);
    const double sd = spread_steps(work);
    std::int64_t last_block = -1;
    for (std::int64_t i = range.first; i < range.end; ++i) {
        const auto slot = static_cast<std::size_t>(i - range.first);
        if (work.spread == Spread::iid) {
            steps[slot] = supernormal(mean, sd, work.seed, static_cast<std::uint64_t>(i));
            continue;
        }
        const std::int64_t block = block_of(work.iterations, work.blocks, i);
        steps[slot] =
            block == last_block ? steps[slot - 1] : supernormal(mean, sd, work.seed, static_cast<std::uint64_t>(block));
        last_block = block;
    }
    return steps;
}

std::int64_t smallest_work(const Work& work) {
    return std::max<std::int64_t>(1, std::llround(std::ceil(static_cast<double>(work.mean) - spread_steps(work))));
}

std::int64_t total_work(const Work& work) {
    const std::vector<std::int64_t> steps = make_work(work, {0, work.iterations});
    return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
}

double static_imbalance(const Work& work, std::int64_t ranks) {
    double largest = 0.0;
    double total = 0.0;
    for (std::int64_t r = 0; r < ranks; ++r) {
        const std::vector<std::int64_t> steps = make_work(work, block_range(work.iterations, ranks, r));
        const auto sum = static_cast<double>(std::accumulate(steps.begin(), steps.end(), std::int64_t{0}));
        largest = std::max(largest, sum);
        total += sum;
    }
    return total > 0.0 ? largest * static_cast<double>(ranks) / total - 1.0 : 0.0;
}

}  // namespace pisolver
