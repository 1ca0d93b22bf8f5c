/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* While a loop is open whose chunks come by messages, DLS_EndChunk looks for messages: also that of a loop of another
   communicator, which has none, and also where a chunk has come to its end. */
#include <stdio.h>

#include "LB4MPI.h"

static int g_looks = 0;

/* Before MPI's own, in this program and in libgimbal_mpi. */
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    g_looks++;
    return PMPI_Iprobe(source, tag, comm, flag, status);
}

/* @return chunks after which nobody looked */
static int run_inner(infoDLS* inner) {
    int begin, size, iterations, missed = 0;
    double seconds;
    DLS_StartLoop(inner, 0, 9, SS);
    while (!DLS_Terminated(inner)) {
        DLS_StartChunk(inner, &begin, &size);
        g_looks = 0;
        DLS_EndChunk(inner);
        missed += g_looks == 0;
    }
    DLS_EndLoop(inner, &iterations, &seconds);
    return missed;
}

int main(int argc, char** argv) {
    infoDLS outer, inner;
    int begin, size, i, iterations, missed = 0, all = 0;
    double seconds;
    MPI_Init(&argc, &argv);
    DLS_Setup(MPI_COMM_WORLD, &outer);
    DLS_Setup(MPI_COMM_SELF, &inner);
    DLS_StartLoop(&outer, 0, 99, SS);
    while (!DLS_Terminated(&outer)) {
        DLS_StartChunk(&outer, &begin, &size);
        for (i = begin; i < begin + size; i++) missed += run_inner(&inner);
        DLS_EndChunk(&outer);
    }
    DLS_EndLoop(&outer, &iterations, &seconds);
    MPI_Allreduce(&missed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (missed) printf("FAILED: %d chunks without a look for messages\n", missed);
    DLS_Finalize(&inner);
    DLS_Finalize(&outer);
    MPI_Finalize();
    return all != 0;
}
