/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every iteration of every loop runs exactly once, and there is no barrier between the loops: each method with few and
 * many iterations, 50 loops back to back, two loops open at the same time, one inside the other. */
#include "DLS.h"

#include <stdio.h>

#define REPEATS 50

static int size, myid;
static unsigned char* counts; /* of all loops so far, one behind the other */
static int used, capacity;

/* Room for a loop of n iterations. @return its first index in counts */
static int add_loop(int n) {
    const int at = used;
    used += n;
    if (used > capacity) {
        counts = (unsigned char*)realloc(counts, (size_t)(2 * used));
        memset(counts + capacity, 0, (size_t)(2 * used - capacity));
        capacity = 2 * used;
    }
    return at;
}

static void run(infoDLS* info, int first, int n, int method) {
    const int at = add_loop(n);
    int start, length, i, mine, done = 0;
    double seconds;
    DLS_StartLoop(info, first, first + n - 1, method);
    while (!DLS_Terminated(info)) {
        DLS_StartChunk(info, &start, &length);
        for (i = start; i < start + length; i++) counts[at + i - first]++;
        done += length;
        DLS_EndChunk(info);
    }
    DLS_EndLoop(info, &mine, &seconds);
    if (mine != done || seconds < 0) {
        printf("EndLoop says %d iterations, %d were run\n", mine, done);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static void few_and_many(infoDLS* info) {
    const int sizes[] = {0, 1, 2, 3, size - 1, size, size + 1, 1000};
    int method, i;
    for (method = 0; method < DLS_MethodCount; method++)
        for (i = 0; i < 8; i++) run(info, i - 3, sizes[i], method);
}

static void back_to_back(infoDLS* info) {
    int method, i;
    for (method = 0; method < DLS_MethodCount; method++)
        for (i = 0; i < REPEATS; i++) run(info, 0, 1000, method);
}

/* Chunks of two loops in turn; in each chunk of the first a whole loop of its own would be wrong, so the inner loop
 * runs once for each outer time step. */
static void at_the_same_time(infoDLS* a, infoDLS* b, int method) {
    const int at_a = add_loop(700), at_b = add_loop(300);
    int start, length, i, more = 1;
    DLS_StartLoop(a, 1, 700, method);
    DLS_StartLoop(b, 1, 300, (method + 5) % DLS_MethodCount);
    while (more) {
        more = 0;
        if (!DLS_Terminated(a)) {
            DLS_StartChunk(a, &start, &length);
            for (i = start; i < start + length; i++) counts[at_a + i - 1]++;
            DLS_EndChunk(a);
            more = 1;
        }
        if (!DLS_Terminated(b)) {
            DLS_StartChunk(b, &start, &length);
            for (i = start; i < start + length; i++) counts[at_b + i - 1]++;
            DLS_EndChunk(b);
            more = 1;
        }
    }
    DLS_EndLoop(a, &i, &(double){0});
    DLS_EndLoop(b, &i, &(double){0});
}

static int check(void) {
    unsigned char* all = (unsigned char*)malloc((size_t)used + 1);
    int i, bad = 0;
    MPI_Reduce(counts, all, used, MPI_UNSIGNED_CHAR, MPI_SUM, 0, MPI_COMM_WORLD);
    if (myid == 0)
        for (i = 0; i < used; i++) {
            if (all[i] != 1 && bad++ < 10) printf("iteration %d of all loops ran %d times\n", i, all[i]);
        }
    free(all);
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return bad;
}

int main(int argc, char** argv) {
    infoDLS info, other;
    int method, bad, inbox = 0;
    MPI_Request foreign[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &myid);
    /* A message of the program's own is pending all the time, with a tag of the original's. */
    MPI_Isend(&myid, 1, MPI_INT, 0, WRK_TAG, MPI_COMM_WORLD, &foreign[0]);
    DLS_Setup(MPI_COMM_WORLD, &info);
    DLS_Setup(MPI_COMM_WORLD, &other);
    few_and_many(&info);
    back_to_back(&info);
    for (method = 0; method < DLS_MethodCount; method++) at_the_same_time(&info, &other, method);
    bad = check();
    if (myid == 0) {
        int i;
        for (i = 0; i < size; i++) MPI_Recv(&inbox, 1, MPI_INT, i, WRK_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%s: %d of %d iterations\n", bad ? "FAILED" : "ok", bad, used);
    }
    MPI_Wait(&foreign[0], MPI_STATUS_IGNORE);
    DLS_Finalize(&info);
    DLS_Finalize(&other);
    free(counts);
    MPI_Finalize();
    return bad != 0;
}
