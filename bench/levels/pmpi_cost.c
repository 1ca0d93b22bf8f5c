/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   What a call of MPI costs the rank that makes it [ns of its own CPU time]: MPI_Barrier and MPI_Allreduce on
   MPI_COMM_SELF, where MPI itself does least, MPI_Wait for a request that is complete, and MPI_Allreduce over all
   ranks. Median of batches; rank 0 prints them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 41, CALLS = 2000 };

static double cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double in = 1, out;

static void barrier(void) {
    MPI_Barrier(MPI_COMM_SELF);
}
static void reduce_self(void) {
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}
static void reduce_all(void) {
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void wait_for_nothing(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double cost_of(void (*call)(void)) {
    double batches[BATCHES];
    for (int i = 0; i < BATCHES; ++i) {
        const double begin = cpu_ns();
        for (int k = 0; k < CALLS; ++k) call();
        batches[i] = (cpu_ns() - begin) / CALLS;
    }
    qsort(batches, BATCHES, sizeof batches[0], ascending);
    return batches[BATCHES / 2];
}

int main(int count, char** words) {
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double costs[] = {cost_of(barrier), cost_of(reduce_self), cost_of(wait_for_nothing), cost_of(reduce_all)};
    if (rank == 0)
        printf("{\"barrier_self\": %d, \"allreduce_self\": %d, \"wait\": %d, \"allreduce_all\": %d}\n", (int)costs[0],
               (int)costs[1], (int)costs[2], (int)costs[3]);
    MPI_Finalize();
    return 0;
}
