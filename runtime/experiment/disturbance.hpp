// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/event_loop.hpp"

namespace gimbal::simulate {

/// What happens to workers that no selector is told of. A tick is a nanosecond.
struct Disturbances {
    double worker_noise = 0;              ///< relative deviation of each worker's times, anew in every step
    double chunk_noise = 0;               ///< of each chunk
    double interruptions_per_s = 0;       ///< of each worker
    double interruption_us = 100;         ///< how long each lasts
    double spread = 0;                    ///< worker speeds lie evenly between 1 - spread and 1 + spread
    double drift = 0;                     ///< by which worker speeds swing, each at another time
    double drift_steps = 500;             ///< in so many steps once to and fro
    std::int64_t slow_worker = -1;        ///< a worker that is slow for a while; < 0: none
    double slow_factor = 2;               ///< on its times
    std::uint64_t slow_first = 0;         ///< from this step
    std::uint64_t slow_end = UINT64_MAX;  ///< until before this one
};

/// How fast every worker is in every step: a function of seed, worker and step, whatever the loop runs as.
/// @threads one at a time
class WorkerSpeeds {
public:
    /// @errors std::bad_alloc
    WorkerSpeeds(const Disturbances& disturbances, std::uint32_t workers, std::uint64_t seed);

    /// @return [P] factor on each worker's times; valid until the next call  @cost O(P)
    [[nodiscard]] std::span<const double> slowness(std::uint64_t step);

private:
    Disturbances disturbances_;
    std::uint64_t seed_;
    std::vector<double> slowness_;
};

}  // namespace gimbal::simulate
