// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <span>

namespace apps {

/// Do a program's work on all ranks, between MPI_Init_thread (MPI_THREAD_FUNNELED) and MPI_Finalize. An error is one
/// line on standard error: of rank 0 if all ranks meet it alike (a setting that is wrong), else of the rank that met
/// it, which then ends the others too.
/// @param work  called on every rank with its number   @return its exit code; 1 after an exception or if standard
///   output cannot be written
int run_mpi_program(const char* name, int& argc, char**& argv, const std::function<int(int rank)>& work);

/// Largest value over all ranks, and mean, element by element. Collective over MPI_COMM_WORLD.
/// @param values  [n], the same n on all ranks; holds the largest values afterwards, on all ranks
/// @param mean    [n] out, on all ranks
void largest_and_mean(std::span<double> values, std::span<double> mean);

}  // namespace apps
