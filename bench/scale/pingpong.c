/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a simulated platform needs to know of this machine, on two ranks: the way of a small message, the time of a look
   for one, and how much longer than asked for a sleep takes. One line of JSON, all in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BURSTS = 201, ROUNDS = 100, BYTES = 200, LOOKS = 20000, SLEEPS = 200 };

static int compare(const void* a, const void* b) {
    const double left = *(const double*)a, right = *(const double*)b;
    return (left > right) - (left < right);
}

static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static double one_way(int rank) {
    static double times[BURSTS];
    char message[BYTES] = {0};
    for (int burst = 0; burst < BURSTS; ++burst) {
        const double begin = MPI_Wtime();
        for (int i = 0; i < ROUNDS; ++i) {
            if (rank == 0) MPI_Send(message, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(message, BYTES, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1) MPI_Send(message, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        times[burst] = (MPI_Wtime() - begin) / (2 * ROUNDS);
    }
    return median(times, BURSTS);
}

static double look(void) {
    int here = 0;
    const double begin = MPI_Wtime();
    for (int i = 0; i < LOOKS; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - begin) / LOOKS;
}

static double oversleep(void) {
    static double times[SLEEPS];
    const struct timespec asked = {0, 1000000};
    for (int i = 0; i < SLEEPS; ++i) {
        const double begin = MPI_Wtime();
        nanosleep(&asked, NULL);
        times[i] = MPI_Wtime() - begin - 1e-3;
    }
    return median(times, SLEEPS);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
    const double way_s = one_way(rank), look_s = look(), oversleep_s = oversleep();
    if (rank == 0)
        printf("{\"one_way_s\": %.4g, \"look_s\": %.4g, \"oversleep_s\": %.4g}\n", way_s, look_s, oversleep_s);
    MPI_Finalize();
    return 0;
}
