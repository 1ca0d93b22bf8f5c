// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// serialized LEVEL: the rank that hands out chunks looks for messages inside its loops of threads. Under
// MPI_THREAD_SERIALIZED it does not: another thread of the program may be in MPI, and only the program knows when.
#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "looks.hpp"

int main(int argc, char** argv) {
    constexpr int kSkipped = 77;
    const bool serialized = argc > 1 && std::strcmp(argv[1], "serialized") == 0;
    const int wanted = serialized ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
    int rank = 0, provided = 0, right = 1;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    if (provided != wanted) {
        MPI_Finalize();
        return kSkipped;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    run_rank_loop("handed out");
    if (rank == 0) {
        g_looks = 0;
        run_thread_loop();
        right = (g_looks == 0) == serialized;
        if (!right) std::printf("FAILED: the rank has looked %d times inside a loop of threads\n", g_looks);
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    run_rank_loop("handed out");
    MPI_Finalize();
    return right ? 0 : 1;
}
