// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bridge.hpp"
#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/mpi.h"
#include "interface/begin_loop.hpp"
#include "interface/errors.hpp"
#include "team/own_mpi.hpp"

int gimbal_fortran_begin_loop(MPI_Fint comm, const char* name, std::int64_t iterations, const char* schedule,
                              int idempotent, const double* weights, std::int64_t count, double overhead_s,
                              double sigma_s, void** loop) noexcept {
    *loop = nullptr;
    return gimbal::mpi::guarded([&] {
        gimbal::mpi::require_own_mpi();
        gimbal::mpi::LoopOptions options;
        options.schedule = schedule;
        options.idempotent = idempotent != 0;
        if (count > 0) options.weights.assign(weights, weights + count);
        // None would be none given. This one is refused as any other number of them that is wrong.
        if (count == 0) options.weights.assign(1, 0.0);
        if (overhead_s > 0) options.overhead_s = overhead_s;
        if (sigma_s > 0) options.sigma_s = sigma_s;
        *loop = gimbal::mpi::begin_loop(MPI_Comm_f2c(comm), name, iterations, options);
        return 0;
    });
}

int gimbal_fortran_too_short(std::int64_t iterations) noexcept {
    return gimbal::mpi::guarded([&]() -> int {
        throw gimbal::Error(
            gimbal::ErrorCode::wrong_use,
            "the chunks of a loop of " + std::to_string(iterations) + " iterations do not fit into integers of 4 bytes",
            "first and last must be integers of 8 bytes: integer(int64)");
    });
}

void gimbal_fortran_stop() noexcept {
    std::fprintf(stderr, "gimbal: error: %s\n", gimbal_mpi_error_text());
    std::fflush(nullptr);
    int running = 0, over = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&over);
    if (running && !over && gimbal::mpi::is_own_mpi()) MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
}
