// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "LB4MPI.h"

namespace gimbal::lb4mpi {

/// What a structure holds that has been set up: `gimbal.ready`.
inline constexpr long long kReady = 0x6C62'346D'7265'6164;

/// Fill a structure for loops over the ranks of a communicator. Local.
/// @param title  whether to read info.looptitle
/// @errors gimbal::Error: wrong_use (no communicator), mpi
void set_up(MPI_Comm comm, infoDLS& info, bool title);

/// The structure of a rank that takes no part in a communicator of its own, but gets chunks from its group's first
/// rank.
void set_up_follower(MPI_Comm group, infoDLS& info);

/// End a loop that the program left open, and say so. @param call  who found it
void end_open_loop(const char* call, infoDLS& info);

}  // namespace gimbal::lb4mpi
