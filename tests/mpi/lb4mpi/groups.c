/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* groups [unfinished]: two nested loops (type II): every pair of outer and inner iteration runs exactly once, several
   times in a row. MPI ends whether or not the structures were given back. */
#include "LB4MPI.h"

#include <stdio.h>

#define OUTER 23
#define INNER 40

static int inner_length(int j) {
    return 1 + (j * 7) % INNER;
}

int main(int argc, char** argv) {
    static int counts[OUTER * INNER], all[OUTER * INNER];
    infoDLS outer, inner;
    int rank, step, bad = 0, i, j, i_start, i_size, j_start, j_size, niters;
    double seconds;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    DLS_GroupSetup(MPI_COMM_WORLD, 0, &outer, &inner);
    for (step = 0; step < 10; step++) {
        DLS_StartLoop(&outer, 1, OUTER, step);
        while (!DLS_Terminated(&outer)) {
            DLS_StartChunk(&outer, &j_start, &j_size);
            for (j = j_start; j < j_start + j_size; j++) {
                DLS_StartLoop(&inner, 1, inner_length(j), (step + j) % DLS_MethodCount);
                while (!DLS_Terminated(&inner)) {
                    DLS_StartChunk(&inner, &i_start, &i_size);
                    for (i = i_start; i < i_start + i_size; i++) counts[(j - 1) * INNER + i - 1]++;
                    DLS_EndChunk(&inner);
                }
                DLS_EndLoop(&inner, &niters, &seconds);
            }
            DLS_EndChunk(&outer);
        }
        DLS_EndLoop(&outer, &niters, &seconds);
    }
    MPI_Reduce(counts, all, OUTER * INNER, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (j = 1; j <= OUTER; j++)
            for (i = 1; i <= INNER; i++) bad += all[(j - 1) * INNER + i - 1] != (i <= inner_length(j) ? 10 : 0);
        printf("%s: %d errors\n", bad ? "FAILED" : "ok", bad);
    }
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (argc == 1) {
        DLS_Finalize(&outer);
        DLS_Finalize(&inner);
    }
    MPI_Finalize();
    return bad != 0;
}
