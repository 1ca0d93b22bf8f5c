// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal::waiting {

/// From now on MPI leaves the core to other threads while it waits for this process: Open MPI by a switch of its own,
/// MPICH where it waits by UCX.
/// @param caller  an address in the object that called MPI  @threads any, more than once
void let_mpi_yield(const void* caller) noexcept;

/// The calling thread is in a call of the program that waits in MPI. One that only looks must not yield.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local bool t_waits;

}  // namespace gimbal::waiting
