// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gimbal::mpi {

/// A warning about this rank, on its standard error and in its report: "rank 1 of MPI_COMM_WORLD " and what it does.
/// Where all ranks would say the same, gimbal_rank_warn() says it once. @pre MPI is running  @errors none
void say(const std::string& what) noexcept;

}  // namespace gimbal::mpi
