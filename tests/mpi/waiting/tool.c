/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   Somebody else's tool that wraps MPI: it counts, and says so at the end. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int g_reductions, g_receives;
static _Thread_local long t_yields;

int sched_yield(void) {
    ++t_yields;
    return (int)syscall(SYS_sched_yield);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ++g_reductions;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    ++g_receives;
    return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

/* Yields while MPI begins are its own affair. */
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    const int code = PMPI_Init_thread(argc, argv, required, provided);
    t_yields = 0;
    return code;
}

int MPI_Finalize(void) {
    printf("tool: %d reductions, %d receives\n", g_reductions, g_receives);
    printf("tool: %ld yields\n", t_yields);
    return PMPI_Finalize();
}
