// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks.hpp"

#include <cstdio>

namespace mandelbrot {

int run_ranks(int&, char**&, const Options&) {
    std::fputs("mandelbrot: error: --ranks: this build has no MPI\n", stderr);
    return 2;
}

}  // namespace mandelbrot
