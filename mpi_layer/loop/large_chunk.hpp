// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "gimbal/share.h"

namespace gimbal::mpi {

/// Draw several steps of the plan in one chunk, whatever the technique: what is left, shared out in halves among the
/// ranks. So a trial that has turned out bad ends soon.
/// @param ranks  P [count]  @param first, end  out [iterations]
/// @pre the plan goes by steps (gimbal_rank_steps())
/// @return false: nothing, or only steps that belong to this rank
inline bool draw_large(gimbal_share& share, std::uint64_t ranks, std::uint64_t& first, std::uint64_t& end) noexcept {
    if (share.step < share.step_end || !share.counter || share.steps == 0) return false;
    const std::uint64_t next = __atomic_load_n(share.counter, __ATOMIC_RELAXED);
    if (next >= share.steps) return false;
    const std::uint64_t claim = (share.steps - next + 2 * ranks - 1) / (2 * ranks);
    const std::uint64_t step = __atomic_fetch_add(share.counter, claim, __ATOMIC_RELAXED);
    if (step >= share.steps) return false;
    const std::uint64_t last = std::min(step + claim, share.steps);
    first = share.starts ? share.starts[step] : step * share.chunk;
    end = last == share.steps ? share.trip : share.starts ? share.starts[last] : last * share.chunk;
    ++share.chunks;
    share.iterations += end - first;
    return true;
}

}  // namespace gimbal::mpi
