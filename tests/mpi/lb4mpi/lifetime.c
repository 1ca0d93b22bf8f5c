/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that DLS_EndLoop never ended are open when MPI ends, drawn to their end or not; what is called afterwards is
   harmless. */
#include <stdio.h>

#include "LB4MPI.h"

static void start(infoDLS* info, int method, int draw_all) {
    int begin, size;
    DLS_Setup(MPI_COMM_WORLD, info);
    DLS_StartLoop(info, 0, 999, method);
    do {
        if (DLS_Terminated(info)) break;
        DLS_StartChunk(info, &begin, &size);
        DLS_EndChunk(info);
    } while (draw_all);
}

int main(int argc, char** argv) {
    static infoDLS drawn, begun, fixed;
    int begin = 0, size = 7, iterations, rank;
    double seconds;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start(&drawn, FAC, 1);
    start(&begun, SS, 0);
    start(&fixed, STATIC, 0);
    MPI_Finalize();
    if (!DLS_Terminated(&begun)) return 1;
    DLS_StartChunk(&begun, &begin, &size);
    DLS_EndChunk(&begun);
    DLS_EndLoop(&begun, &iterations, &seconds);
    DLS_EndLoop(&drawn, &iterations, &seconds);
    if (rank == 0) printf("went on to the end\n");
    return size;
}
