// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/errors.hpp"

#include <cstdio>

#include "gimbal/rank_loop.h"

namespace gimbal::mpi {

namespace {

int rank_of_job() noexcept {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

}  // namespace

void warn(const char* text) noexcept {
    if (gimbal_rank_warn(text))
        std::fprintf(stderr, "gimbal: warning: %s (said by rank %d of MPI_COMM_WORLD)\n", text, rank_of_job());
}

void warn_of_setting(const char* text, int ranks) noexcept {
    int all = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    if (ranks > all / 2)
        warn(text);
    else
        gimbal_rank_warn(text);
}

void say(const std::string& what) noexcept {
    try {
        const std::string text = "rank " + std::to_string(rank_of_job()) + " of MPI_COMM_WORLD " + what;
        if (gimbal_rank_warn(text.c_str())) std::fprintf(stderr, "gimbal: warning: %s\n", text.c_str());
    } catch (...) {
        gimbal_rank_warn("a loop over ranks failed, and there is no memory left for the message");
    }
}

}  // namespace gimbal::mpi
