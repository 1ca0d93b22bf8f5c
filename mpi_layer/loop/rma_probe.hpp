// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "team/team.hpp"

namespace gimbal::mpi {

/// Whether one-sided operations on rank 0 are done while it computes, found out by trying. Rank 0 watches its memory
/// without calling MPI while others add to it: 1 ms, and longer the more often not all has come, since ranks may share
/// processors. What changes then proves it; no time that an operation took does.
struct RmaProbe final : public Member {
    /// Collective over the team. @cost below 1 ms where there is progress, 15 ms where there is none
    explicit RmaProbe(Team& team);

    /// The probe of a team; made at the first call, which is collective.
    [[nodiscard]] static const RmaProbe& of(Team& team);

    bool progress = false;   ///< all operations were done, each rank's at least in part while rank 0 looked
    double operation_s = 0;  ///< what one took in the last look; median, of the slowest rank [s]
    double looked_s = 0;     ///< how long rank 0 looked without calling MPI, at most [s]
    std::uint64_t made = 0;  ///< operations that others made [count]
    std::uint64_t seen = 0;  ///< those of them that were done while rank 0 looked [count]
};

}  // namespace gimbal::mpi
