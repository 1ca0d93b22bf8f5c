// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/technique.hpp"

namespace gimbal {

/// Mean and standard deviation of iteration times, gathered chunk by chunk.
///
/// A chunk of n iterations that took t stands for n iterations of t/n each, so the deviation is the one of iteration
/// costs at the resolution of the chunks. Costs that vary smoothly along the loop (the ones that make static
/// schedules unbalanced) are seen as they are; independent noise inside a chunk averages out, here as in the chunk.
/// @threads one worker adds; merge() when it has finished
class IterationTimes {
public:
    /// @param iterations  of one chunk [iterations]; 0 is ignored
    /// @param time        it took [ticks]
    void add(std::uint64_t iterations, double time) noexcept {
        if (iterations == 0) return;
        const auto n = static_cast<double>(iterations);
        iterations_ += n;
        time_ += time;
        time_squared_per_iteration_ += time * time / n;
        ++chunks_;
    }

    void merge(const IterationTimes& other) noexcept;

    /// @param overhead  h, cost of one dispatch [ticks]
    /// @return mean, deviation and overhead [ticks]; `known` is false with less than two chunks
    [[nodiscard]] IterationStatistics statistics(double overhead) const noexcept;

private:
    double iterations_ = 0;
    double time_ = 0;
    double time_squared_per_iteration_ = 0;
    std::uint64_t chunks_ = 0;
};

}  // namespace gimbal
