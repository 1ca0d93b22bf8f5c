// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <span>
#include <string>

namespace apps {

/// Do a program's work on all ranks, between MPI_Init_thread (MPI_THREAD_FUNNELED) and MPI_Finalize. An error is one
/// line on standard error: of rank 0 if all ranks meet it alike (a setting that is wrong), else of the rank that met
/// it, which then ends the others too.
/// @param work  called on every rank with its number   @return its exit code; 1 after an exception or if standard
///   output cannot be written
int run_mpi_program(const char* name, int& argc, char**& argv, const std::function<int(int rank)>& work);

/// What is wrong with an option that says how ranks share a loop. Known before the loop is, so that it is a wrong
/// option and not a run that failed.
/// @param schedule  static (without Gimbal), loop (what Gimbal is set to) or a schedule   @return empty: nothing
std::string schedule_refusal(const std::string& schedule);

/// Largest value over all ranks, and mean, element by element. Collective over MPI_COMM_WORLD.
/// @param values  [n], the same n on all ranks; holds the largest values afterwards, on all ranks
/// @param mean    [n] out, on all ranks
void largest_and_mean(std::span<double> values, std::span<double> mean);

}  // namespace apps
