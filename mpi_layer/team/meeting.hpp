// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <string>

#include "gimbal/api.h"

namespace gimbal::mpi {

/// Until all ranks are here. Others may be waiting for this rank's answers, in a loop that it has left already, or for
/// its processor: it gives them meanwhile, which MPI's blocking functions do not. Collective.
/// @param purpose  what to say that this rank begins if it waits for long; "": nothing
/// @errors gimbal::Error(mpi)
GIMBAL_API void await_all(MPI_Comm comm, const std::string& purpose = {});

/// Until a request is done; waits like that. @param patience_s  as in meet()  @return false: not in time
/// @errors gimbal::Error(mpi)
[[nodiscard]] GIMBAL_API bool await(MPI_Request& request, double patience_s);

/// MPI_Comm_dup that waits like that. Errors of the duplicate are returned as codes. @errors gimbal::Error(mpi)
[[nodiscard]] GIMBAL_API MPI_Comm duplicate(MPI_Comm comm);

/// What ranks that end a team meet for. All others are in error then.
inline constexpr const char* kEndsLoops = "no loop, but MPI_Finalize or MPI_Comm_free";

/// What a meeting of all ranks showed.
struct Meeting {
    int first_of_some = -1;    ///< lowest rank that set `some`; -1: none did
    std::string disagreement;  ///< "" if all came for the same; else who came for what, the same text on all ranks
    bool speaks = false;       ///< there is a disagreement, and this is the lowest rank with its purpose
    bool missed = false;       ///< not all came in time
};

/// Wait until all ranks are here, and see whether they came for the same. Collective: every use of a team that is
/// collective begins with it, the team's end too; so ranks that do not agree hear of it instead of waiting for ever.
/// Others may be waiting for this rank's answers, in a loop that it has left already: it gives them meanwhile.
/// @param comm        whose errors are returned as codes
/// @param purpose     what this rank came for, for a message  @param some  see first_of_some
/// @param patience_s  then this rank goes on without those that are missing; 0: it waits for all [s]
/// @param says        whether a rank that waits for long says so
/// @errors gimbal::Error(mpi)
[[nodiscard]] Meeting meet(MPI_Comm comm, const std::string& purpose, bool some = false, double patience_s = 0,
                           bool says = true);

/// As meet(), for ranks that must agree. @errors gimbal::Error: wrong_use if they do not, the same on all; mpi
void meet_and_agree(MPI_Comm comm, const std::string& purpose);

}  // namespace gimbal::mpi
