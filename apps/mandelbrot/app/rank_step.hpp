// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"
#include "loops.hpp"
#include "program.hpp"

#include <cstdint>
#include <vector>

namespace mandelbrot {

/// What this rank did for one loop in one step.
struct Share {
    std::vector<std::uint32_t> counts;  ///< [pixels], set where this rank computed them
    std::vector<Pixels> chunks;         ///< what it computed
    double time_s = 0.0;                ///< wall time in these chunks
    double busy_s = 0.0;                ///< processor time of the first thread in them, or what they are made to last
    apps::Lasting lasting;
};

/// All loops of one step, on this rank. They are open at the same time, and each rank goes from one to the next after
/// every chunk, so that three loops over ranks are in flight together; a chunk is then a loop over threads.
/// @param shares  one per loop of the options, in their order   @errors gimbal::Error
void run_rank_step(const Options& options, std::int64_t step, int rank, int ranks, std::vector<Share>& shares);

}  // namespace mandelbrot
