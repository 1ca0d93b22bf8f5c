// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/loop_report.hpp"
#include "panel.hpp"

#include <cstdint>
#include <vector>

namespace calu {

/// What a run computes.
struct Config {
    int size = 1536;
    Blocks blocks;
    std::int64_t repeat = 3;  ///< factorisations of the same matrix
    std::uint64_t seed = 1;
    bool serial_check = false;  ///< repeat it on one thread, time that, and compare
};

/// What a run showed. Loop times: of all steps of all factorisations.
struct Result : apps::LoopTimes {
    std::vector<double> total_s;  ///< [repeat] wall time of each factorisation, panels included
    double residual = 0;
    std::uint64_t checksum = 0;
};

/// @return median wall time of a factorisation [s]; of an even number of them the mean of the middle two
double median_s(const Result& result);

/// Largest residual of a factorisation that is right, in units of n eps.
constexpr double kResidualBound = 16;

/// @errors std::runtime_error if the residual is too large, if a result is not that of one thread or of the repetition
///         before, or if memory is too small
/// @threads forks teams   @cost O(repeat size^3), three matrices
Result run(const Config& config);

}  // namespace calu
