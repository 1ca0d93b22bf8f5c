/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI ends in a function of atexit(), after what libraries have put there since; with a loop that is still open. */
#include <stdio.h>
#include <stdlib.h>

#include "LB4MPI.h"

static void end_mpi(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0) printf("ended\n");
}

int main(int argc, char** argv) {
    static infoDLS whole, open;
    MPI_Comm other;
    int begin, size, iterations;
    double seconds;
    MPI_Init(&argc, &argv);
    if (atexit(end_mpi) != 0) return 1;
    DLS_Setup(MPI_COMM_WORLD, &whole);
    DLS_StartLoop(&whole, 0, 999, GSS);
    while (!DLS_Terminated(&whole)) {
        DLS_StartChunk(&whole, &begin, &size);
        DLS_EndChunk(&whole);
    }
    DLS_EndLoop(&whole, &iterations, &seconds);
    /* Several communicators: what holds them must be there still. */
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    DLS_Setup(other, &open);
    DLS_StartLoop(&open, 0, 999, SS);
    DLS_StartChunk(&open, &begin, &size);
    return 0;
}
