/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "./app": loops of every kind that documents speak of, with MPI where the compiler knows it. */
#include <stdio.h>
#if __has_include(<mpi.h>)
#include <mpi.h>
#define WITH_MPI 1
#endif

enum { kBodies = 1000 };
static double force[kBodies];

static void gravity(void) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < kBodies; ++i)
        for (int j = 0; j < i; ++j) force[i] += 1.0 / (1 + j);
}

static void density(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < kBodies; ++i)
        for (int j = 0; j < i; ++j) force[i] -= 1.0 / (2 + j);
}

int main(int argc, char** argv) {
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#else
    (void)argc, (void)argv;
#endif
    for (int step = 0; step < 20; ++step) {
        gravity();
        density();
    }
    double sum = 0;
    for (int i = 0; i < kBodies; ++i) sum += force[i];
#ifdef WITH_MPI
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
#endif
    printf("sum %f\n", sum);
    return 0;
}
