/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* open_loops communicator|groups|left: ranks begin something collective while a loop is open that needs them. Nobody
   waits for ever, and every iteration runs once. */
#include <stdio.h>
#include <string.h>

#include "LB4MPI.h"

#define N 1000

static void start(infoDLS* info) {
    DLS_StartLoop(info, 1, N, SS);
}

static void draw(infoDLS* info) {
    int begin, size;
    if (DLS_Terminated(info)) return;
    DLS_StartChunk(info, &begin, &size);
    DLS_EndChunk(info);
}

/* @return iterations that this rank has run */
static int end(infoDLS* info) {
    int iterations;
    double seconds;
    DLS_EndLoop(info, &iterations, &seconds);
    return iterations;
}

static int drain(infoDLS* info) {
    while (!DLS_Terminated(info)) draw(info);
    return end(info);
}

/* Rank 0 meets the others with its loop still open; they have drawn it to its end before they come. */
static void beside_open_loop(int groups, int rank, int ran[2]) {
    MPI_Comm copy;
    infoDLS first, outer, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    DLS_Setup(MPI_COMM_WORLD, &first);
    if (!groups) DLS_Setup(copy, &second);
    start(&first);
    if (rank != 0) ran[0] = drain(&first);
    if (groups) DLS_GroupSetup(copy, 0, &outer, &second);
    start(&second);
    ran[1] = drain(&second);
    if (rank == 0) ran[0] = drain(&first);
}

/* Rank 0 leaves the first loop before its end, and waits until the others have its chunks: they begin the second one
   first. */
static void left_early(int rank, int ran[2]) {
    infoDLS first, second;
    DLS_Setup(MPI_COMM_WORLD, &first);
    DLS_Setup(MPI_COMM_WORLD, &second);
    start(&first);
    if (rank == 0) {
        draw(&first);
        ran[0] = end(&first);
    }
    start(&second);
    ran[1] = drain(&second);
    if (rank != 0) ran[0] = drain(&first);
}

int main(int argc, char** argv) {
    int rank, bad, ran[2] = {0, 0}, all[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "left") == 0)
        left_early(rank, ran);
    else
        beside_open_loop(argc > 1 && strcmp(argv[1], "groups") == 0, rank, ran);
    MPI_Allreduce(ran, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    bad = all[0] != N || all[1] != N;
    if (bad && rank == 0) printf("FAILED: %d and %d of %d iterations\n", all[0], all[1], N);
    MPI_Finalize();
    return bad;
}
