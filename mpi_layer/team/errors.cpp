// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/errors.hpp"

#include <cstdio>

#include "gimbal/rank_loop.h"

namespace gimbal::mpi {

void warn(const char* text) noexcept {
    if (gimbal_rank_warn(text)) std::fprintf(stderr, "gimbal: warning: %s\n", text);
}

void say(const std::string& what) noexcept {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        warn(("rank " + std::to_string(rank) + " of MPI_COMM_WORLD " + what).c_str());
    } catch (...) {
        gimbal_rank_warn("a loop over ranks failed, and there is no memory left for the message");
    }
}

}  // namespace gimbal::mpi
