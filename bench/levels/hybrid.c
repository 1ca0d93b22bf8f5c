// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hybrid program whose ranks draw chunks of a loop and whose threads share each of them out. Iterations sleep, so
// that ranks and threads need no core of their own, and what is measured is how they are shared out. usage: hybrid
// STEPS ITERATIONS MEAN_US Costs rise along the loop, so that blocks for ranks are unequal, and every eighth iteration
// takes four times as long as the others, so that threads differ within a chunk. Prints the seconds that the steps
// took, and a checksum.
#include <gimbal/mpi/mpi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { kUntimed = 3 };  // steps that make teams and shared memory

static void sleep_us(double us) {
    const long ns = (long)(us * 1e3);
    const struct timespec time = {ns / 1000000000, ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

// Mean 1 over the loop.
static double cost(long i, long n) {
    const double rises = 0.25 + 1.5 * (double)i / (double)n;
    return rises * (i % 8 == 0 ? 4.0 : 1.0) / (11.0 / 8.0);
}

static void check(int code) {
    if (code >= 0) return;
    fprintf(stderr, "hybrid: %s\n", gimbal_mpi_error_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
    int provided = 0, rank = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4) {
        if (rank == 0) fprintf(stderr, "usage: hybrid STEPS ITERATIONS MEAN_US\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const long steps = atol(argv[1]), n = atol(argv[2]);
    const double mean_us = atof(argv[3]);
#pragma omp parallel
    prctl(PR_SET_TIMERSLACK, 1);
    long ran = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = 0;
    for (long step = -kUntimed; step < steps; ++step) {
        if (step == 0) begin = MPI_Wtime();
        gimbal_mpi_loop* loop = NULL;
        int64_t first = 0, end = 0;
        check(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "hybrid", n, NULL, &loop));
        int code = 0;
        while ((code = gimbal_mpi_next_chunk(loop, &first, &end)) == 1) {
#pragma omp parallel for schedule(runtime) reduction(+ : ran)
            for (long i = first; i < end; ++i) {
                sleep_us(mean_us * cost(i, n));
                ran += i % 7;
            }
        }
        check(code);
        check(gimbal_mpi_end_loop(&loop));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    const double seconds = MPI_Wtime() - begin;
    long all = 0;
    MPI_Allreduce(&ran, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("seconds %.6f checksum %ld\n", seconds, all);
    MPI_Finalize();
    return 0;
}
