// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/mpi/loop.hpp"
#include "LB4MPI.h"

namespace gimbal::lb4mpi {

/// @return the method itself if it is one of 0 to 14, else 0, as in DLS4LB
[[nodiscard]] int known_method(int method) noexcept;

/// What the method number and the wishes in a structure mean for a loop over P ranks. GIMBAL_MPI_SCHEDULE beats the
/// method; so does MPI_RL_OPTION (LB4MPI_RL_OPTION), the seed's switch for learning, unless it means no agent or the
/// one for steal ratios.
[[nodiscard]] mpi::LoopOptions options_of(const infoDLS& info);

/// Whether MPI_RL_OPTION names the agent that learns steal ratios.
[[nodiscard]] bool agent_chooses_steal_ratio();

}  // namespace gimbal::lb4mpi
