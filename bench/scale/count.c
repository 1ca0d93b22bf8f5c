/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: counts the messages that each rank sends and receives one by one; those inside collective calls are not
 * counted. Ranks that are simulated are threads of one process that take turns, so that plain counters will do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

enum { kMaxRanks = 1 << 16 };

static unsigned long long g_messages[kMaxRanks];

static unsigned long long* own(void) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return &g_messages[rank % kMaxRanks];
}

/* Of the rank that calls. */
unsigned long long gimbal_bench_messages(void);
unsigned long long gimbal_bench_messages(void) {
    return *own();
}

/* SMPI's calls end in those that begin with PMPI_, and so do the ones that Gimbal puts before them. */
#if defined(GIMBAL_SIMULATED_RANKS)
#define CALL(name) PMPI_##name
#define TEXT(name) "PMPI_" #name
#else
#define CALL(name) MPI_##name
#define TEXT(name) "MPI_" #name
#endif

/* int MPI_<name>(<parameters>), counted and passed on. */
#define COUNTED(name, parameters, arguments)                                    \
    int CALL(name) parameters {                                                 \
        static int(*next) parameters;                                           \
        if (!next) *(void**)&next = dlsym(RTLD_NEXT, TEXT(name));               \
        ++*own();                                                               \
        return next arguments;                                                  \
    }

COUNTED(Send, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
        (data, count, type, to, tag, comm))
COUNTED(Isend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, to, tag, comm, request))
COUNTED(Issend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, to, tag, comm, request))
COUNTED(Recv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
        (data, count, type, from, tag, comm, status))
COUNTED(Irecv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, from, tag, comm, request))
COUNTED(Mrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status),
        (data, count, type, message, status))
