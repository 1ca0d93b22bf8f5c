// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

namespace gimbal::smpi {

/// Whether nobody but Gimbal sends messages there: note_own().
[[nodiscard]] bool is_own(MPI_Comm comm);

/// MPI_Isend that wakes the other rank if it pauses. For messages of collectives.
int own_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request);

/// Whether a message of a collective was sent to this rank, and not received yet. If not, it was asked as MPI_Test
/// would be, for as long: SMPI need not be.
[[nodiscard]] bool is_collective_coming();
/// It was received.
void note_collective_received();

}  // namespace gimbal::smpi
