// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of so many names that a small /dev/shm has no room for all of them.
// usage: many_loops NAMES
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gimbal/mpi/loop.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    constexpr std::int64_t kIterations = 100;
    bool sound = true;
    const int names = argc > 1 ? std::atoi(argv[1]) : 1;
    for (int name = 0; name < names; ++name) {
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "loop " + std::to_string(name), kIterations);
        std::int64_t sum = 0;
        while (const auto chunk = loop.next()) sum += chunk.size();
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        sound = sound && sum == kIterations;
    }
    if (!sound) std::printf("FAILED: iterations are missing\n");
    MPI_Finalize();
    return sound ? 0 : 1;
}
