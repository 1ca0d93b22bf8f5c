// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstdint>

#include "gimbal/api.h"
#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/mpi.h"

namespace gimbal::mpi {

/// What gimbal_mpi_begin_loop() gives to a program, for interfaces that know how many weights they were given.
/// @pre require_own_mpi()  @return for gimbal_mpi_end_loop()  @errors those of Loop
[[nodiscard]] GIMBAL_API gimbal_mpi_loop* begin_loop(MPI_Comm comm, const char* name, std::int64_t iterations,
                                                     const LoopOptions& options);

}  // namespace gimbal::mpi
