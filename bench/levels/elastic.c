// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hybrid program that knows nothing of Gimbal: steps of loops whose work differs from rank to rank, then
// communication. usage: elastic KIND STEPS MS IMBALANCE ROUNDS
//   KIND       one, several: that many loops a step and MPI_Allreduce; barrier; exchange: with both neighbours by
//              MPI_Waitall; static: loops that are not schedule(runtime)
//   MS         work of a step on a rank, on average [ms]
//   IMBALANCE  ranks have from 1 - IMBALANCE to 1 + IMBALANCE of that
//   ROUNDS     of work() in a millisecond; 0: only measure that, on all ranks at once
// Prints the seconds that the steps took, and a checksum that no schedule may change.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kIterations = 240, kLoops = 3, kWords = 1000 };

static double field[kLoops][kIterations];
static double per_ms;  // rounds of work() in a millisecond: given, so that every run does the same work

static double work(long rounds, double x) {
    for (long i = 0; i < rounds; ++i) x = x * 1.0000001 + 1e-9;
    return x;
}

static void loop(int number, double ms) {
    const long rounds = (long)(ms * per_ms / kIterations);
    double* const values = field[number];
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < kIterations; ++i) values[i] = work(rounds, values[i] + i);
}

static void static_loop(int number, double ms) {
    const long rounds = (long)(ms * per_ms / kIterations);
    double* const values = field[number];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < kIterations; ++i) values[i] = work(rounds, values[i] + i);
}

// Cores may share execution units, so all ranks work at once, and the slowest counts.
static double measured_rounds(void) {
    const long rounds = 50000000;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    volatile double kept = work(rounds, 1.0);
    (void)kept;
    double ms = (MPI_Wtime() - begin) * 1e3;
    MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return rounds / ms;
}

static double checksum(void) {
    double sum = 0;
    for (int l = 0; l < kLoops; ++l)
        for (int i = 0; i < kIterations; ++i) sum += field[l][i] * (l + 1);
    return sum;
}

static void exchange(int rank, int ranks) {
    static double sent[2][kWords], got[2][kWords];
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Request requests[4];
    MPI_Irecv(got[0], kWords, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(got[1], kWords, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(sent[0], kWords, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(sent[1], kWords, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Status statuses[4];
    MPI_Waitall(4, requests, statuses);
}

int main(int argc, char** argv) {
    int provided = 0, rank = 0, ranks = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 6) {
        if (rank == 0) fprintf(stderr, "usage: elastic KIND STEPS MS IMBALANCE ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const char* const kind = argv[1];
    const int steps = atoi(argv[2]);
    const double imbalance = atof(argv[4]);
    const double ms = atof(argv[3]) * (1 + imbalance * (ranks > 1 ? 1 - 2.0 * rank / (ranks - 1) : 0));
    const int loops = strcmp(kind, "several") == 0 ? kLoops : 1;
    per_ms = atof(argv[5]);
    if (per_ms <= 0) {
        per_ms = measured_rounds();
        if (rank == 0) printf("rounds %.0f\n", per_ms);
        MPI_Finalize();
        return 0;
    }
    double global = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        for (int l = 0; l < loops; ++l) (strcmp(kind, "static") == 0 ? static_loop : loop)(l, ms / loops);
        if (strcmp(kind, "barrier") == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
        } else if (strcmp(kind, "exchange") == 0) {
            exchange(rank, ranks);
        } else {
            double local = field[0][step % kIterations];
            MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - begin;
    double sum = checksum();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("seconds %.6f checksum %.17g\n", seconds, sum);
    MPI_Finalize();
    return 0;
}
