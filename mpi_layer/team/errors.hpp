// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong on one rank: MPI's errors as exceptions, and warnings.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

namespace gimbal::mpi {

/// Turn an MPI return code into an exception.
/// @param call  the function's name, e.g. "MPI_Isend"
/// @errors gimbal::Error(mpi) with MPI's own text unless code is MPI_SUCCESS
void check(int code, std::string_view call);

/// A warning about this rank, on its standard error and in its report: "rank 1 of MPI_COMM_WORLD " and what it does.
/// Where all ranks would say the same, gimbal_rank_warn() says it once. @pre MPI is running  @errors none
void say(const std::string& what) noexcept;

}  // namespace gimbal::mpi
