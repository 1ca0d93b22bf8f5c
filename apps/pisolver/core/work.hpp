// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/range.hpp"

#include <cstdint>
#include <vector>

namespace pisolver {

using apps::block_range;
using apps::Range;

/// The block of apps::block_range() that an iteration lies in. @param iteration  in [0, count)
inline std::int64_t block_of(std::int64_t count, std::int64_t blocks, std::int64_t iteration) {
    const std::int64_t shorter = count / blocks;
    const std::int64_t in_longer = count % blocks * (shorter + 1);
    if (iteration < in_longer) return iteration / (shorter + 1);
    return count % blocks + (iteration - in_longer) / shorter;
}

/// How the cost of iterations varies.
enum class Spread {
    block,  ///< one value for a block of iterations, as if a rank had been given too much
    iid     ///< one value for each iteration: with many iterations per rank it averages out
};

/// What decides the cost of every iteration.
struct Work {
    std::int64_t iterations = 2000;  ///< N
    std::int64_t mean = 6800;        ///< midpoint steps of an iteration, on average [count]
    double imbalance = 10.0;         ///< standard deviation before truncation [% of the mean], in [0, 30]
    Spread spread = Spread::block;
    std::int64_t blocks = 1;  ///< [count], for Spread::block
    std::uint64_t seed = 3;   ///< this one imbalances 2 and 4 blocks about as much as seeds do on average
};

/// "Supernormal": round(normal(mean, sd)), drawn again until it lies in [mean - sd, mean + sd]. Its own standard
/// deviation is 0.54 sd.
/// @param seed, key  decide the value: no state, so that every rank gets the same one
/// @return in [mean - sd, mean + sd], >= 1 if mean - sd >= 1   @threads pure   @cost O(1), 1.5 draws on average
std::int64_t supernormal(double mean, double sd, std::uint64_t seed, std::uint64_t key);

/// W: midpoint steps of iterations [range.first, range.end). The same values for every caller.
std::vector<std::int64_t> make_work(const Work& work, Range range);

/// Smallest W that there can be [count].
std::int64_t smallest_work(const Work& work);

/// Midpoint steps of all iterations together [count].
std::int64_t total_work(const Work& work);

/// What equal blocks of iterations on `ranks` ranks lose: largest block sum / mean block sum - 1.
double static_imbalance(const Work& work, std::int64_t ranks);

}  // namespace pisolver
