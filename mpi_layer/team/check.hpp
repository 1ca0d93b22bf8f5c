// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <string_view>

namespace gimbal::mpi {

/// Turn an MPI return code into an exception.
/// @param call  the function's name, e.g. "MPI_Isend"
/// @errors gimbal::Error(mpi) with MPI's own text unless code is MPI_SUCCESS
void check(int code, std::string_view call);

}  // namespace gimbal::mpi
