/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrong calls return a code, and a text says why. */
#include <gimbal/mpi/mpi.h>
#include <stdio.h>
#include <string.h>

static int bad;

static void expect(int got, int code, const char* text) {
    if (got == code && strstr(gimbal_mpi_error_text(), text)) return;
    bad++;
    printf("expected %d \"%s\", got %d \"%s\"\n", code, text, got, gimbal_mpi_error_text());
}

int main(int argc, char** argv) {
    gimbal_mpi_loop* loop = NULL;
    gimbal_mpi_loop_options options = {0};
    gimbal_mpi_steal_options stealing = {17, 0, 0};
    gimbal_mpi_steal_work nothing = {0};
    int64_t first, end;
    const double one = 1;
    expect(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "early", 1, NULL, &loop), GIMBAL_ERROR_WRONG_USE, "not running");
    options.weights = &one;
    expect(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "early", 1, &options, &loop), GIMBAL_ERROR_WRONG_USE, "not running");
    options.weights = NULL;
    MPI_Init(&argc, &argv);
    expect(gimbal_mpi_begin_loop(MPI_COMM_NULL, "null", 1, NULL, &loop), GIMBAL_ERROR_WRONG_USE, "MPI_COMM_NULL");
    expect(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "negative", -1, NULL, &loop), GIMBAL_ERROR_WRONG_USE, "-1");
    expect(gimbal_mpi_begin_loop(MPI_COMM_WORLD, NULL, 1, NULL, &loop), GIMBAL_ERROR_WRONG_USE, "name is NULL");
    options.schedule = "fac22";
    expect(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "option", 1, &options, &loop), GIMBAL_ERROR_INVALID_OPTION, "fac2");
    expect(gimbal_mpi_next_chunk(NULL, &first, &end), GIMBAL_ERROR_WRONG_USE, "NULL");
    if (gimbal_mpi_begin_loop(MPI_COMM_WORLD, "loop", 5, NULL, &loop) < 0) bad++;
    while (gimbal_mpi_next_chunk(loop, &first, &end) == 1) continue;
    expect(gimbal_mpi_next_chunk(loop, &first, &end), GIMBAL_ERROR_WRONG_USE, "");
    if (gimbal_mpi_end_loop(&loop) < 0) bad++;
    expect(gimbal_mpi_end_loop(&loop), GIMBAL_ERROR_WRONG_USE, "NULL");
    expect(gimbal_mpi_append_bytes(NULL, NULL, 1), GIMBAL_ERROR_WRONG_USE, "no buffer");
    expect(gimbal_mpi_run_items(MPI_COMM_WORLD, "w", 1, &nothing, NULL, NULL), GIMBAL_ERROR_WRONG_USE, "");
    expect(gimbal_mpi_run_items(MPI_COMM_WORLD, "r", 1, &nothing, &stealing, NULL), GIMBAL_ERROR_INVALID_OPTION, "17");
    MPI_Finalize();
    printf("%s: %d errors\n", bad ? "FAILED" : "ok", bad);
    return bad != 0;
}
