/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Distributed data, as in the seed's listing: each rank owns a part of the items and works on an array of its own,
 * index by index; idle ranks steal. Every item is worked on exactly once in each step, on any rank, and its result
 * is back in its owner's array afterwards. */
#include "LB4MPI.h"

#include <stdio.h>

#define STEPS 12

typedef struct item {
    int id;
    int cost;
    double value;
} item;

static double burn(int cost) {
    volatile double sum = 0;
    int i;
    for (i = 0; i < cost; i++) sum += 1.0 / (1.0 + i);
    return sum;
}

/* Rank 0 owns expensive items, rank 1 none at all, the others cheap ones. */
static int owned_by(int rank) {
    return rank == 0 ? 300 : rank == 1 ? 0 : 100 + rank;
}

int main(int argc, char** argv) {
    int size, rank, step, i, start, chunk, niters, bad = 0;
    long long mine = 0, all = 0, expected = 0;
    double seconds;
    item* items;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int owned = owned_by(rank);
    items = (item*)calloc((size_t)owned + 1, sizeof *items);
    for (i = 0; i < owned; i++) {
        items[i].id = rank * 1000 + i;
        items[i].cost = rank == 0 ? 2000 : 10;
    }
    for (i = 0; i < size; i++) expected += owned_by(i);
    for (step = 0; step < STEPS; step++) {
        infoDLS info;
        info.looptitle = "distributed";
        info.workload = (int)expected;
        DLS_Parameters_Setup(MPI_COMM_WORLD, &info, size, -1, -1, -1, -1, -1, 0, 1.0, 1.0);
        DLS_DataSetup(&info, items, owned, (int)sizeof *items, 1);
        DLS_StartLoop(&info, 0, (int)expected - 1, STATIC);
        while (!DLS_Terminated(&info)) {
            DLS_StartChunk(&info, &start, &chunk);
            for (i = start; i < start + chunk; i++) items[i].value += items[i].id + (burn(items[i].cost) < 0);
            DLS_EndChunk(&info);
        }
        DLS_EndLoop(&info, &niters, &seconds);
        mine += niters;
    }
    for (i = 0; i < owned; i++) bad += items[i].id != rank * 1000 + i || items[i].value != (double)STEPS * items[i].id;
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (all != STEPS * expected) bad++;
    if (rank == 0) printf("%s: %d errors, %lld of %lld items\n", bad ? "FAILED" : "ok", bad, all, STEPS * expected);
    free(items);
    MPI_Finalize();
    return bad != 0;
}
