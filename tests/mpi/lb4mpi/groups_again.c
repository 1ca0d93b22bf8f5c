/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program may call DLS_GroupSetup in each time step and never give its structures back: MPI has communicators for a
   thousand steps or two. What belongs to a communicator goes with it. */
#include <stdio.h>

#include "LB4MPI.h"

#define OUTER 7
#define INNER 5

/* @return pairs of iterations that this rank ran */
static int run(infoDLS* outer, infoDLS* inner) {
    int j_start, j_size, i_start, i_size, niters, j, ran = 0;
    double seconds;
    DLS_StartLoop(outer, 0, OUTER - 1, FAC);
    while (!DLS_Terminated(outer)) {
        DLS_StartChunk(outer, &j_start, &j_size);
        for (j = 0; j < j_size; j++) {
            DLS_StartLoop(inner, 0, INNER - 1, SS);
            while (!DLS_Terminated(inner)) {
                DLS_StartChunk(inner, &i_start, &i_size);
                ran += i_size;
                DLS_EndChunk(inner);
            }
            DLS_EndLoop(inner, &niters, &seconds);
        }
        DLS_EndChunk(outer);
    }
    DLS_EndLoop(outer, &niters, &seconds);
    return ran;
}

int main(int argc, char** argv) {
    infoDLS outer, inner, copy;
    MPI_Comm duplicate;
    int step, rank, mine = 0, all = 0, expected = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (step = 0; step < 2000; step++) {
        DLS_GroupSetup(MPI_COMM_WORLD, 0, &outer, &inner);
        if (step % 500 != 0) continue;
        mine += run(&outer, &inner);
        expected += OUTER * INNER;
    }
    copy = outer;
    DLS_Finalize(&copy);
    mine += run(&outer, &inner);
    expected += OUTER * INNER;
    for (step = 0; step < 3; step++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
        DLS_GroupSetup(duplicate, 0, &outer, &inner);
        mine += run(&outer, &inner);
        expected += OUTER * INNER;
        MPI_Comm_free(&duplicate);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all != expected && rank == 0) printf("FAILED: %d of %d pairs\n", all, expected);
    MPI_Finalize();
    return all != expected;
}
