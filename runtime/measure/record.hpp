// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>

namespace gimbal {

/// What one worker did in one execution of a loop. Times in ticks of base/clock.hpp.
struct WorkerRecord {
    std::uint64_t begin = 0;       ///< when the worker entered the loop [ticks]
    std::uint64_t end = 0;         ///< when it found nothing left [ticks]
    std::uint64_t chunks = 0;      ///< chunks it got [count]
    std::uint64_t iterations = 0;  ///< iterations it ran [iterations]

    /// When its static part was done, and how much that was; 0 if the execution did not ask.
    std::uint64_t static_end = 0;         ///< [ticks]
    std::uint64_t static_iterations = 0;  ///< [iterations]

    /// When the worker first stole from another one's block that was cut by a profile; 0: it never did [ticks].
    std::uint64_t stole_at = 0;
};

/// What one execution of a loop showed (design 3.4). Times in ticks.
struct LoopRecord {
    std::uint64_t iterations = 0;  ///< that were run: N, or less if cancelled [iterations]
    double loop_time = 0;          ///< last finish minus first begin [ticks]
    double busy_max = 0;           ///< max of L, L_i = end_i - begin_i [ticks]
    double busy_mean = 0;          ///< mean of L [ticks]
    double late = 0;  ///< mean of begin_i minus first begin, and how long the last one to begin held up even a balanced
                      ///< loop: max(mean(begin_i) - first, last begin - first - mean(L)) [ticks]
    std::uint64_t chunks = 0;                    ///< over all workers [count]
    double stolen = 0;                           ///< part of the workers' time since they first stole (stole_at)
    double surplus_busy = 0;                     ///< of surplus workers on cores of other ranks, their sum [ticks]
    std::span<const WorkerRecord> workers = {};  ///< [P], valid during the call only
};

/// Statistics over the workers' times L (seed 000, eqs 2.1 to 2.5).
struct Imbalance {
    double percent_imbalance = 0;  ///< max / mean - 1 (eq. 2.1)
    double lost = 0;               ///< 1 - mean / max
    double cov = 0;                ///< sd / mean (eq. 2.2, with the sd of eq. 2.3)
    double sd = 0;                 ///< standard deviation, in the unit of the times (eq. 2.3)
    double skewness = 0;           ///< third standardised moment (eq. 2.4)
    double kurtosis = 0;           ///< fourth standardised moment minus 3 (eq. 2.5)
};

/// @param times  [P] L, any unit; empty or all zero gives zeros
/// @threads any  @cost O(P)  @source seed 000, eqs 2.1-2.5; test: tests/unit/measure/record_test.cpp
[[nodiscard]] Imbalance imbalance_of(std::span<const double> times) noexcept;

}  // namespace gimbal
