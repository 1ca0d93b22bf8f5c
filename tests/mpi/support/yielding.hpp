// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <span>

namespace gimbal::test {

/// Wait as MPI_Wait does, but let others have the processor: where there are more ranks than cores, an MPI that spins
/// costs a time slice of the system for every message.
void wait_yielding(MPI_Request& request);

/// Sum over all ranks of a communicator, everywhere. Collective; a barrier.
void sum_over_ranks(std::span<int> values, MPI_Comm comm);

/// MPI_Barrier that yields. Collective.
void barrier(MPI_Comm comm);

}  // namespace gimbal::test
