/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Setups are local: ranks may set up their communicators in different orders, and MPI ends all the same. */
#include <stdio.h>

#include "LB4MPI.h"

#define N 100

static int run(infoDLS* info) {
    int begin, size, iterations, all = 0;
    double seconds;
    DLS_StartLoop(info, 0, N - 1, FAC);
    while (!DLS_Terminated(info)) {
        DLS_StartChunk(info, &begin, &size);
        DLS_EndChunk(info);
    }
    DLS_EndLoop(info, &iterations, &seconds);
    MPI_Allreduce(&iterations, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all == N;
}

int main(int argc, char** argv) {
    MPI_Comm copies[2];
    infoDLS infos[2];
    int rank, good;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &copies[1]);
    DLS_Setup(copies[rank % 2], &infos[rank % 2]);
    DLS_Setup(copies[1 - rank % 2], &infos[1 - rank % 2]);
    good = run(&infos[0]) & run(&infos[1]);
    if (!good) printf("FAILED: iterations are lost or ran twice\n");
    DLS_Finalize(&infos[0]);
    DLS_Finalize(&infos[1]);
    MPI_Finalize();
    return !good;
}
