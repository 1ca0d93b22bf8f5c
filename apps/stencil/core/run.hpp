// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/loop_report.hpp"
#include "mesh.hpp"
#include "loops.hpp"

#include <cstdint>

namespace stencil {

/// What a run computes.
struct Config {
    std::int64_t size = 128;  ///< cells along each side of the cube
    std::int64_t steps = 200;
    Mode mode{1, 1, 1};  ///< the slowest to decay, so that nothing which rounding adds outlives it
    Noise noise;
    bool serial_check = false;  ///< repeat the loop serially, time that, and compare
};

/// What a run showed: the times of its loop, and what became of the mesh.
struct Result : apps::LoopTimes {
    double error = 0.0;          ///< largest difference from the exact solution, relative to its amplitude
    std::uint64_t checksum = 0;  ///< of the last mesh, bit for bit
};

/// Largest error that rounding explains: a little at the start, and one rounding per step.
double tolerance(std::int64_t steps);

/// All time steps.
/// @errors std::runtime_error if the result is not the exact solution, or not that of one thread
/// @threads forks teams   @cost O(steps size^3), three meshes of size^3 doubles
Result run(const Config& config);

}  // namespace stencil
