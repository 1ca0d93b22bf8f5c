// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

#include "gimbal/technique.hpp"

namespace gimbal {

/// Mean and standard deviation of iteration times, gathered chunk by chunk.
///
/// What fsc, fac and tap need is how far the time of a *chunk* strays: sigma sqrt(n) for n independent iterations. Real
/// costs are rarely independent (neighbours cost alike), so the deviation reported here is the effective one: chosen so
/// that sigma sqrt(n) is what chunks of n iterations were seen to stray by, at the size where that is worst.
/// docs/decisions/0005-statistics.md.
/// @threads one worker adds; merge() when it has finished
class IterationTimes {
public:
    /// @param iterations  of one chunk [iterations]; 0 is ignored
    /// @param time        it took [ticks]
    /// @cost O(1)
    void add(std::uint64_t iterations, double time) noexcept;

    void merge(const IterationTimes& other) noexcept;

    /// @param overhead  h, cost of one dispatch [ticks]
    /// @return mean, effective deviation and overhead [ticks]; `known` is false with less than two chunks
    [[nodiscard]] IterationStatistics statistics(double overhead) const noexcept;

private:
    /// Sums over chunks of like size: [2^k, 2^(k+1)) iterations.
    struct SizeClass {
        double chunks = 0;
        double iterations = 0;
        double time = 0;
        double time_squared_per_iteration = 0;

        void merge(const SizeClass& other) noexcept;
        /// Mean over chunks of n (t/n - mean)^2: sigma^2, were iterations independent.
        [[nodiscard]] double scatter(double mean) const noexcept;
    };
    std::array<SizeClass, 64> classes_{};
};

}  // namespace gimbal
