// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What docs/cluster.md calls `app`: ranks of threads; argv[1] steps. Says what threads and cores each rank has.
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 50;
    int rank, size, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long sum = 0, all = 0;
    for (int step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int i = 0; i < 1000; ++i)
            for (int k = 0; k < i; ++k) sum += (i * k) % 7;
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    printf("rank %d of %d: %d threads on %d cores, sum %ld\n", rank, size, omp_get_max_threads(), CPU_COUNT(&mask),
           all);
    MPI_Finalize();
}
