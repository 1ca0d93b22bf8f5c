// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bridge.hpp"
#include "gimbal/mpi/mpi.h"
#include "interface/errors.hpp"
#include "team/own_mpi.hpp"

int gimbal_fortran_begin_loop(MPI_Fint comm, const char* name, std::int64_t iterations, const char* schedule,
                              int idempotent, const double* weights, double overhead_s, double sigma_s,
                              void** loop) noexcept {
    gimbal_mpi_loop_options options{};
    if (*schedule) options.schedule = schedule;
    options.idempotent = idempotent;
    options.weights = weights;
    options.overhead_s = overhead_s;
    options.sigma_s = sigma_s;
    gimbal_mpi_loop* begun = nullptr;
    const int code = gimbal_mpi_begin_loop(MPI_Comm_f2c(comm), name, iterations, &options, &begun);
    *loop = begun;
    return code;
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
