// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix.hpp"
#include "panel.hpp"

#include <omp.h>

#include <vector>

namespace calu {

/// What a factorisation gave.
struct Factors {
    std::vector<int> rows;        ///< [n] row i of PA is row rows[i] of A
    std::vector<double> times_s;  ///< [steps] wall time of the parallel loop of each step
};

/// LU with tournament pivoting, in place: L and U, PA = LU. One parallel loop per step, `schedule(runtime)`: an
/// iteration is one block of columns to the right of the panel, from left to right. The first one goes on to factor the
/// next panel, which is on the critical path: it is the heaviest, and the loop gets shorter from step to step.
/// @param alone  the calling thread does it all: the work that the loops share out
/// @errors std::bad_alloc   @threads forks teams; each call of BLAS runs on one thread   @cost O(n^3)
/// @source Donfack, Grigori, Gropp, Kale 2012; test: tests/unit/calu/factorise_test.cpp
Factors factorise(Matrix& matrix, const Blocks& blocks, bool alone = false);

/// Calls of BLAS run on the calling thread only, from now on: in parallel regions, and where OneThread lives. Teams
/// stay as large as they are.
void one_thread_per_call();

/// The next team of this thread would have one thread: by that an OpenBLAS on OpenMP goes outside of parallel regions.
class OneThread {
public:
    OneThread() : threads_(omp_get_max_threads()) { omp_set_num_threads(1); }
    ~OneThread() { omp_set_num_threads(threads_); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int threads_;
};

}  // namespace calu
