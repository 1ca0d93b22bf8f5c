// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

namespace gimbal::smpi {

/// Whether nobody but Gimbal sends messages there: note_own().
[[nodiscard]] bool is_own(MPI_Comm comm);

/// MPI_Isend that wakes the other rank if it pauses. Not for messages that are probed for.
int own_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request);

}  // namespace gimbal::smpi
