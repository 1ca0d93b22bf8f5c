// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded into the ranks of tests: they leave their core to others while they wait. MPICH on UCX does not, whatever
// MPIR_CVAR_POLLS_BEFORE_YIELD says. With more ranks than cores, each wait then lasts until time slices of other ranks
// that wait are over: a barrier of 4 ranks on 2 cores takes 8 ms, and 24 us where they yield. Where the MPI does not
// use UCX, nobody yields for it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

typedef unsigned (*Progress)(void* worker);

// Whether this thread only looks, and decides itself what to do where there is nothing.
static _Thread_local int looks;

// UCX's function that MPICH calls again and again while it waits. 0: nothing has happened.
unsigned ucp_worker_progress(void* worker) {
    static Progress next;  // every thread finds the same one
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned happened = next(worker);
    if (happened == 0 && !looks) sched_yield();
    return happened;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    looks = 1;
    const int error = PMPI_Iprobe(source, tag, comm, flag, status);
    looks = 0;
    return error;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    looks = 1;
    const int error = PMPI_Improbe(source, tag, comm, flag, message, status);
    looks = 0;
    return error;
}
