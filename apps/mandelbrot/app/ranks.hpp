// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

namespace mandelbrot {

/// The program on MPI ranks: all of --ranks. In builds without Gimbal's rank level it says that it is missing.
/// @return the exit code: 0; 1 if a pixel was not computed exactly once, or after an error
int run_ranks(int& argc, char**& argv, const Options& options);

}  // namespace mandelbrot
