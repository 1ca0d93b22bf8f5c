/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   What the programs of this folder have in common. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <time.h>

static int g_rank, g_size;

static void check(int right, const char* what) {
    if (right) return;
    fprintf(stderr, "rank %d: wrong: %s\n", g_rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* A rank that sleeps computes, as far as MPI knows. */
static void compute(double milliseconds) {
    const struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds * 1e6) % 1000000000L};
    nanosleep(&time, NULL);
}
