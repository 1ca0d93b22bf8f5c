/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of more iterations than an int counts: every iteration once, and what the structure says stays at INT_MAX. */
#include <limits.h>
#include <stdio.h>

#include "LB4MPI.h"

static int wrong = 0;

static void expect(int holds, const char* what, long long number) {
    if (holds) return;
    printf("FAILED: %s: %lld\n", what, number);
    wrong = 1;
}

static void run(infoDLS* info, int first, int ranks) {
    const long long all = (long long)INT_MAX - first + 1;
    long long mine = 0, sum = 0;
    int start, size, iterations = 0;
    double seconds;
    DLS_StartLoop(info, first, INT_MAX, STATIC);
    expect(info->N == INT_MAX, "N", info->N);
    while (!DLS_Terminated(info)) {
        DLS_StartChunk(info, &start, &size);
        if (size > 0) expect(start >= first && size - 1 <= (long long)INT_MAX - start, "a chunk that ends late", size);
        mine += size;
        DLS_EndChunk(info);
        expect(info->myIters == (mine < INT_MAX ? mine : INT_MAX), "myIters", info->myIters);
        expect(info->rStart >= first, "rStart", info->rStart);
    }
    DLS_EndLoop(info, &iterations, &seconds);
    expect(iterations == (mine < INT_MAX ? mine : INT_MAX), "iterations of this rank", iterations);
    expect(ranks > 1 || mine == all, "iterations of one rank", mine);
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == all, "iterations of all ranks", sum);
}

int main(int argc, char** argv) {
    infoDLS info;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    DLS_Setup(MPI_COMM_WORLD, &info);
    run(&info, 0, ranks);
    DLS_Finalize(&info);
    DLS_Setup(MPI_COMM_WORLD, &info);
    run(&info, INT_MIN, ranks);
    DLS_Finalize(&info);
    MPI_Finalize();
    return wrong;
}
