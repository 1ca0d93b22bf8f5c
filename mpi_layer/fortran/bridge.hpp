// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstdint>

#include "gimbal/api.h"

/// What the Fortran modules call: communicators are mpif.h's integers here, and strings end with a zero. The interfaces
/// in gimbal.f90 and dls_bridge.f90 say the same in Fortran. Nothing is thrown into Fortran: what cannot go on ends.
extern "C" {

// Module gimbal. Codes are those of gimbal/mpi/mpi.h.
/// @param count  of the weights; -1: none are given
GIMBAL_API int gimbal_fortran_begin_loop(MPI_Fint comm, const char* name, std::int64_t iterations, const char* schedule,
                                         int idempotent, const double* weights, std::int64_t count, double overhead_s,
                                         double sigma_s, void** loop) noexcept;
/// A loop of so many iterations is drawn from with integers of 4 bytes: keep the error. @return its code
GIMBAL_API int gimbal_fortran_too_short(std::int64_t iterations) noexcept;
/// Say what the last error was and end the program, all ranks of it.
[[noreturn]] GIMBAL_API void gimbal_fortran_stop() noexcept;

// Module DLS: a number stands for an infoDLS; 0 for none.
GIMBAL_API void gimbal_dls_setup(std::int64_t* info, MPI_Fint comm, const char* title, int workload) noexcept;
GIMBAL_API void gimbal_dls_wishes(std::int64_t info, const int wishes[3], double overhead, double sigma,
                                  const double* weights, int count) noexcept;
/// @param wishes  requestWhen, breakAfter, minChunk, nKNL  @param speeds  Xeon_speed, KNL_speed
GIMBAL_API void gimbal_dls_parameters_setup(std::int64_t* info, MPI_Fint comm, const char* title, int workload,
                                            const int wishes[4], double overhead, double sigma,
                                            const double speeds[2]) noexcept;
/// @param weights  out: [P]
GIMBAL_API void gimbal_dls_weights(std::int64_t info, double* weights) noexcept;
GIMBAL_API void gimbal_dls_group_setup(MPI_Fint world, int coordinator, std::int64_t* outer,
                                       std::int64_t* inner) noexcept;
GIMBAL_API void gimbal_dls_partition(MPI_Fint world, int coordinator, MPI_Fint* foremen, MPI_Fint* group) noexcept;
GIMBAL_API void gimbal_dls_data_setup(std::int64_t info, void* data, int items, int item_bytes,
                                      int write_back) noexcept;
GIMBAL_API void gimbal_dls_start_loop(std::int64_t info, int first, int last, int method) noexcept;
GIMBAL_API int gimbal_dls_terminated(std::int64_t info) noexcept;
GIMBAL_API void gimbal_dls_start_chunk(std::int64_t info, int* start, int* size) noexcept;
GIMBAL_API void gimbal_dls_end_chunk(std::int64_t info) noexcept;
GIMBAL_API void gimbal_dls_end_loop(std::int64_t info, int* iterations, double* seconds) noexcept;
GIMBAL_API void gimbal_dls_finalize(std::int64_t* info) noexcept;
/// @param ints   out: [38] fields in the order of bridge_dls.cpp  @param reals  out: [8] likewise
GIMBAL_API void gimbal_dls_fields(std::int64_t info, int* ints, double* reals) noexcept;
}
