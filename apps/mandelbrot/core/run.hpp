// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/loop_times.hpp"
#include "escape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mandelbrot {

/// What a run computes.
struct Config {
    Image image;
    std::int64_t steps = 20;
    std::vector<int> loops{1, 2, 3};  ///< which of L1, L2 and L3, in the order in which a time step runs them
    bool serial_check = false;        ///< repeat each loop serially, time that, and compare
};

/// What one loop did over the run.
struct LoopResult : apps::LoopTimes {
    std::uint64_t z_steps = 0;   ///< sum of all counts over the run
    std::uint64_t checksum = 0;  ///< of all counts over the run; does not depend on the order of the steps
};

/// Sum over pixels of a mix of (pixel, count), modulo 2^64: those of an image are the sum of those of its parts.
/// @param counts  of pixels first, first + 1, ...
std::uint64_t checksum(std::span<const std::uint32_t> counts, std::uint64_t first = 0);

/// One checksum for all loops of a run.
std::uint64_t checksum(std::span<const LoopResult> loops);

/// All time steps. @return one result per entry of config.loops
/// @errors std::runtime_error if a serial check finds other counts   @threads forks teams   @cost steps x the loops
std::vector<LoopResult> run(const Config& config);

}  // namespace mandelbrot
