/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of "Several ranks" in docs/user-guide.md: the last rank has twice the work of the first. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static double step(int length) {
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1500; ++i)
        for (int j = 1; j < length; ++j) sum += 1 / sqrt(i + j);
    return sum;
}

int main(int argc, char** argv) {
    int rank = 0, ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double total = 0;
    for (int i = 0; i < 20; ++i) {
        double sum = step(rank == ranks - 1 ? 4000 : 2000);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        total += sum;
    }
    if (rank == 0) printf("total %f\n", total / 1e3);
    MPI_Finalize();
    return 0;
}
