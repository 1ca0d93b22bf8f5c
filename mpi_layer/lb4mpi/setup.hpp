// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/mpi/loop.hpp"
#include "LB4MPI.h"

#include <span>

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

/// @return the method itself if it is one of 0 to 14, else 0, as in DLS4LB
[[nodiscard]] int known_method(int method) noexcept;

/// What the method number and the wishes in a structure mean for a loop over P ranks. GIMBAL_MPI_SCHEDULE beats the
/// method; so does MPI_RL_OPTION (LB4MPI_RL_OPTION), the seed's switch for learning, unless it means no agent or the
/// one for steal ratios, or is wrong.
[[nodiscard]] mpi::LoopOptions options_of(const infoDLS& info);

/// Copy a title that the program may or may not have set: in C, a structure's pointer that was never set holds
/// anything. What cannot be read, or is not a line of printable text, is no title.
/// @param given  any value
/// @param title  out: the text, cut to size, with a final zero; "" if there is none
/// @threads any  @cost two system calls
void copy_title(const char* given, std::span<char> title);

}  // namespace gimbal::lb4mpi
