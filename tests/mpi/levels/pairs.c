// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks draw chunks, and threads share each of them out. usage: pairs STEPS [RANK]: placement moves threads of that
// rank in every step, or says so. Iterations sleep, so that ranks and threads need no core of their own. Every rank
// prints whether each iteration of each step ran exactly once.
#include <gimbal/mpi/mpi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kIterations = 600 };

void gimbal_pin_moved(void);  // as libgimbal_pin.so calls it

static int ran[kIterations], all[kIterations];

static void sleep_us(long us) {
    const struct timespec time = {0, us * 1000};
    nanosleep(&time, NULL);
}

static void check(int code) {
    if (code >= 0) return;
    fprintf(stderr, "pairs: %s\n", gimbal_mpi_error_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run_chunk(long first, long end) {
#pragma omp parallel for schedule(runtime)
    for (long i = first; i < end; ++i) {
        sleep_us(20 + i / 10);
#pragma omp atomic
        ++ran[i];
    }
}

int main(int argc, char** argv) {
    int provided = 0, rank = 0, wrong = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    const int moved = argc > 2 ? atoi(argv[2]) : -1;
    for (int step = 0; step < steps; ++step) {
        if (rank == moved) gimbal_pin_moved();
        gimbal_mpi_loop* loop = NULL;
        int64_t first = 0, end = 0;
        int code = 0;
        memset(ran, 0, sizeof ran);
        check(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "pairs", kIterations, NULL, &loop));
        while ((code = gimbal_mpi_next_chunk(loop, &first, &end)) == 1) run_chunk((long)first, (long)end);
        check(code);
        check(gimbal_mpi_end_loop(&loop));
        MPI_Allreduce(ran, all, kIterations, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < kIterations; ++i) wrong += all[i] != 1;
    }
    printf("rank %d: %d iterations ran another number of times than once\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
