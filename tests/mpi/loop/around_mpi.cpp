// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops before MPI_Init and after MPI_Finalize are errors.
#include <mpi.h>

#include <cstdio>

#include "gimbal/mpi/loop.hpp"

namespace {

bool refused(const char* when) {
    try {
        gimbal::mpi::Loop(MPI_COMM_WORLD, "early or late", 10);
    } catch (const gimbal::Error& error) {
        if (error.code() == gimbal::ErrorCode::wrong_use) return true;
        std::printf("%s: not wrong_use: %s\n", when, error.what());
        return false;
    }
    std::printf("%s: accepted\n", when);
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    bool good = refused("before MPI_Init");
    MPI_Init(&argc, &argv);
    int ran = 0;
    {
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "between", 100);
        for (const auto chunk : loop) ran += static_cast<int>(chunk.size());
    }
    int all = 0;
    MPI_Allreduce(&ran, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all != 100) std::printf("%d of 100 iterations\n", all);
    MPI_Finalize();
    good = refused("after MPI_Finalize") && good;
    return good && all == 100 ? 0 : 1;
}
