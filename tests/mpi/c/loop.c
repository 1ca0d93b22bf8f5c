/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops through the C interface: every iteration exactly once, options taken, no barrier between loops. */
#include <gimbal/mpi/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLoops = 40, kMax = 1000 };

static int counts[kLoops][kMax], all[kLoops][kMax];

static void stop(const char* call) {
    fprintf(stderr, "%s: %s\n", call, gimbal_mpi_error_text());
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void run(int number, int64_t n, const gimbal_mpi_loop_options* options) {
    gimbal_mpi_loop* loop;
    int64_t first, end, i;
    int code;
    if (gimbal_mpi_begin_loop(MPI_COMM_WORLD, "c loop", n, options, &loop) < 0) stop("begin");
    if (strlen(gimbal_mpi_get_transport(loop)) == 0) stop("no transport");
    while ((code = gimbal_mpi_next_chunk(loop, &first, &end)) == 1) {
        for (i = first; i < end; i++) counts[number][i]++;
        if (gimbal_mpi_progress_loop(loop) < 0 || gimbal_mpi_progress() < 0) stop("progress");
        if (gimbal_mpi_finish_chunk(loop, first, end) != 1) stop("finish");
    }
    if (code < 0) stop("next");
    if (gimbal_mpi_end_loop(&loop) < 0 || loop) stop("end");
}

int main(int argc, char** argv) {
    const char* const schedules[] = {NULL, "static", "ss,7", "fac2", "af", "awf-b", "wf2", "fsc", "runtime", "gss,3"};
    int rank, size, i, bad = 0;
    int64_t n, j;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double* const weights = (double*)malloc((size_t)size * sizeof *weights);
    for (i = 0; i < size; i++) weights[i] = 1 + i;
    for (i = 0; i < kLoops; i++) {
        gimbal_mpi_loop_options options = {0};
        options.schedule = schedules[i % 10];
        options.weights = weights;
        options.overhead_s = 1e-6;
        options.sigma_s = 1e-5;
        run(i, i % 4 == 3 ? i % 7 : kMax, i < 10 ? NULL : &options);
    }
    MPI_Reduce(counts, all, kLoops * kMax, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    for (i = 0; rank == 0 && i < kLoops; i++) {
        n = i % 4 == 3 ? i % 7 : kMax;
        for (j = 0; j < kMax; j++) bad += all[i][j] != (j < n ? 1 : 0);
    }
    if (rank == 0) printf("%s: %d errors\n", bad ? "FAILED" : "ok", bad);
    free(weights);
    MPI_Finalize();
    return bad != 0;
}
