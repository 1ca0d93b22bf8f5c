/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Titles: a structure set up anew in each time step, as in the seed's listing, with a title, without one, with one that
 * only some ranks have, and with what an uninitialised structure may hold. Every iteration runs once, and none waits.
 */
#include "LB4MPI.h"

#include <stdint.h>
#include <stdio.h>

enum { kSteps = 40, kIterations = 200 };

static int rank, size;
static int counts[kSteps][kIterations], all[kSteps][kIterations];

static const char* title_of(int step) {
    static char own[32], binary[] = "\001\002";
    switch (step % 8) {
        case 0:
            return "one title";
        case 1:
            return NULL;
        case 2: /* each rank its own */
            sprintf(own, "rank %d", rank);
            return own;
        case 3:
            return rank == 0 ? "one title" : NULL;
        case 4:
            return (const char*)(uintptr_t)0x10; /* cannot be read */
        case 5:
            return rank == 0 ? (const char*)(uintptr_t)0xA5A5A5A5A5A5A5A5 : "one title";
        case 6:
            return binary;
        default:
            return "";
    }
}

static void run(int step) {
    infoDLS info;
    int start, length, i, mine;
    double seconds;
    memset((void*)&info, 0xA5, sizeof info);
    info.looptitle = title_of(step);
    info.workload = kIterations;
    DLS_Parameters_Setup(MPI_COMM_WORLD, &info, size, -1, -1, -1, 0, 0, 0, 0, 0);
    DLS_StartLoop(&info, 1, kIterations, step % DLS_MethodCount);
    while (!DLS_Terminated(&info)) {
        DLS_StartChunk(&info, &start, &length);
        for (i = start; i < start + length; i++) counts[step][i - 1]++;
        DLS_EndChunk(&info);
    }
    DLS_EndLoop(&info, &mine, &seconds);
}

int main(int argc, char** argv) {
    int step, i, bad = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (step = 0; step < kSteps; step++) run(step);
    MPI_Allreduce(counts, all, kSteps * kIterations, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (step = 0; step < kSteps; step++)
        for (i = 0; i < kIterations; i++) bad += all[step][i] != 1;
    if (rank == 0) printf("%s: %d errors\n", bad ? "FAILED" : "ok", bad);
    MPI_Finalize();
    return bad != 0;
}
