/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   Programs in which, though they wait, no rank must sleep, or not for ever: each by its name, run by run_waiting.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

enum { STEPS = 4, KINDS = 7, MOST_RANKS = 16, LATE_MS = 20 };

/* The last rank comes late to collectives that do not block, and others wait for them in every way. */
static void in_steps(void) {
    for (int step = 0; step < 6 * STEPS; ++step) {
        int mine = g_rank, sum = -1, all[MOST_RANKS], index;
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Request request;
        MPI_Status status;
        if (g_rank == g_size - 1) compute(LATE_MS);
        switch (step % 6) {
            case 0:
                MPI_Ibarrier(MPI_COMM_WORLD, &request);
                break;
            case 1:
                MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
                break;
            case 2:
                MPI_Ibcast(&mine, 1, MPI_INT, g_size - 1, MPI_COMM_WORLD, &request);
                break;
            case 3:
                MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
                break;
            case 4:
                MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
                break;
#if MPI_VERSION >= 4
            case 5:
                MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
                MPI_Start(&request);
                break;
#endif
            default:
                request = MPI_REQUEST_NULL;
        }
        switch (step / 6 % STEPS) {
            case 0:
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                break;
            case 1:
                MPI_Waitall(1, &request, &status);
                break;
            case 2:
                MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
                break;
            default:
                MPI_Waitsome(1, &request, &sum, &index, &status);
        }
        if (step % 6 == 2) check(mine == g_size - 1, "Ibcast");
        if (step % 6 == 3) check(all[g_size - 1] == g_size - 1, "Iallgather");
        if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
}

/* Two ranks, each a group of its own: the second one is late in all that they tell each other. */
static void between(void) {
    MPI_Comm alone, other;
    MPI_Comm_split(MPI_COMM_WORLD, g_rank, 0, &alone);
    MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, 1 - g_rank, 5, &other);
    for (int step = 0; step < STEPS; ++step) {
        int in = -1, out = step;
        MPI_Request request;
        if (g_rank == 1) {
            compute(LATE_MS);
            MPI_Send(&out, 1, MPI_INT, 0, 1, other);
            compute(LATE_MS);
            MPI_Recv(&in, 1, MPI_INT, 0, 2, other, MPI_STATUS_IGNORE);
            compute(LATE_MS);
            MPI_Send(&out, 1, MPI_INT, 0, 3, other);
            compute(LATE_MS);
        } else {
            MPI_Recv(&in, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
            MPI_Ssend(&out, 1, MPI_INT, 0, 2, other);
            MPI_Probe(0, 3, other, MPI_STATUS_IGNORE);
            MPI_Recv(&in, 1, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
        }
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 4, &in, 1, MPI_INT, 0, 4, other, MPI_STATUS_IGNORE);
        if (g_rank == 1) compute(LATE_MS);
        in = -1;
        if (g_rank == 0) MPI_Irecv(&in, 1, MPI_INT, 0, 6, other, &request);
        if (g_rank == 1) MPI_Isend(&out, 1, MPI_INT, 0, 6, other, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (g_rank == 0) check(in == step, "a message between groups");
    }
    MPI_Comm_free(&other);
    MPI_Comm_free(&alone);
}

/* All ranks have come here, and none has waited in a call that is looked at. */
static void meet_without_a_wait(void) {
    int done = 0;
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/* The first rank makes a collective call that fails, and that the others do not make: from then on the numbers of
   calls differ, as does what comes of them. On a communicator whose arrivals are known, or one that is new. */
static void failed(int is_new) {
    MPI_Comm comm = MPI_COMM_WORLD, part;
    int value = 0;
    if (is_new) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (g_rank == 0) check(MPI_Bcast(&value, 1, MPI_INT, 77, comm) != MPI_SUCCESS, "Bcast from no rank");
    meet_without_a_wait();
    MPI_Comm_split(comm, 0, g_rank, &part);
    for (int step = 0; step < 20; ++step) {
        if (g_rank == 1) compute(LATE_MS / 4);
        MPI_Barrier(comm);
        MPI_Barrier(part);
    }
    MPI_Comm_free(&part);
    if (is_new) MPI_Comm_free(&comm);
}

/* Others sleep in a call that the first rank has not come to when that one fails. */
static void failed_while_others_sleep(void) {
    int value = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int step = 0; step < STEPS; ++step) {
        if (g_rank == 0) compute(5 * LATE_MS);
        if (g_rank == 0) MPI_Bcast(&value, 1, MPI_INT, 77, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* All but the first rank call the same function by a name that nobody looks at, and a little later. */
static void unseen(void) {
    for (int step = 0; step < 20 * STEPS; ++step) {
        if (g_rank == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
        } else {
            compute(LATE_MS / 4);
            PMPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

/* MPI_Bcast of nothing need not wait, and what its root asks for in a loop comes after it. */
static void polled(void) {
    for (int kind = 0; kind < KINDS; ++kind) {
        int value = kind, got = -1, done = 0, index;
        MPI_Request request;
        MPI_Message message;
        MPI_Status status;
        if (g_rank != 0) {
            MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD);
            if (g_rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            continue;
        }
        if (kind > 1) MPI_Irecv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        while (!done) {
            switch (kind) {
                case 0:
                    MPI_Iprobe(1, 1, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
                    break;
                case 1:
                    MPI_Improbe(1, 1, MPI_COMM_WORLD, &done, &message, MPI_STATUS_IGNORE);
                    break;
                case 2:
                    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                    break;
                case 3:
                    MPI_Testall(1, &request, &done, &status);
                    break;
                case 4:
                    MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE);
                    break;
                case 5:
                    MPI_Testsome(1, &request, &done, &index, &status);
                    break;
                default:
                    MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
            }
        }
        if (kind == 0) MPI_Recv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (kind == 1) MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        if (kind == 6) MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(got == kind, "a message after a broadcast of nothing");
        MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* Requests for files, waited for in every way. */
static void file_requests(void) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "requests", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int step = 0; step < 3 * STEPS; ++step) {
        int out = g_rank, index;
        const MPI_Offset place = g_rank * (MPI_Offset)sizeof(int);
        MPI_Request request;
        MPI_Status status;
        if (step / STEPS == 0) MPI_File_iwrite_at(file, place, &out, 1, MPI_INT, &request);
        if (step / STEPS == 1) MPI_File_iread_at_all(file, place, &out, 1, MPI_INT, &request);
        if (step / STEPS == 2) MPI_File_iwrite_shared(file, &out, 1, MPI_INT, &request);
        if (step % STEPS == 0) MPI_Wait(&request, &status);
        if (step % STEPS == 1) MPI_Waitall(1, &request, &status);
        if (step % STEPS == 2) MPI_Waitany(1, &request, &index, &status);
        if (step % STEPS == 3) MPI_Waitsome(1, &request, &out, &index, &status);
    }
    MPI_File_close(&file);
}

/* The second rank takes part of a shared window that belongs to the first one; who sleeps then does not answer. */
static void locks(void) {
    int* own;
    MPI_Win window;
    MPI_Win_allocate_shared(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    if (g_rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Win_unlock(0, window);
    }
    meet_without_a_wait();
    for (int step = 0; step < STEPS; ++step) {
        if (g_rank == 1) compute(LATE_MS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

static int by_value(const void* a, const void* b) {
    const double one = *(const double*)a, other = *(const double*)b;
    return (one > other) - (one < other);
}

/* The same for all ranks of a node. */
static double clock_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The first rank sleeps for a message that the second one starts, which then makes no call that wakes others up. */
static void starts(void) {
    enum { TIMES = 40 };
    double sent = 0, late_s[TIMES];
    MPI_Request request;
    MPI_Status status;
    if (g_rank == 1) MPI_Send_init(&sent, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request);
    if (g_rank == 0) MPI_Recv_init(&sent, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
    for (int i = 0; i < TIMES; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (g_rank == 1) {
            int done = 0;
            compute(LATE_MS + 0.5 * (i % 10)); /* of the 5 ms after which it looks by itself */
            sent = clock_s();
            if (i % 2)
                MPI_Startall(1, &request);
            else
                MPI_Start(&request);
            compute(LATE_MS);
            while (!done) MPI_Test(&request, &done, &status);
        } else {
            MPI_Start(&request);
            MPI_Wait(&request, &status);
            late_s[i] = clock_s() - sent;
        }
    }
    MPI_Request_free(&request);
    if (g_rank != 0) return;
    qsort(late_s, TIMES, sizeof(double), by_value);
    printf("half of the messages came within %.3f ms\n", 1e3 * late_s[TIMES / 2]);
}

/* It is complete once MPI asks it, which MPICH does in MPI_Wait and its kin alone. */
#ifdef MPICH
static MPI_Request g_general;
static int query(void* nothing, MPI_Status* status) {
    (void)nothing;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int let_go(void* nothing) {
    (void)nothing;
    return MPI_SUCCESS;
}
static int cancel(void* nothing, int complete) {
    (void)nothing;
    (void)complete;
    return MPI_SUCCESS;
}
static int poll_it(void* nothing, MPI_Status* status) {
    (void)nothing;
    (void)status;
    return MPI_Grequest_complete(g_general);
}
static int wait_for_it(int count, void** nothing, double limit, MPI_Status* status) {
    (void)count;
    (void)nothing;
    (void)limit;
    (void)status;
    return MPI_Grequest_complete(g_general);
}
static void generalised(void) {
    MPIX_Grequest_start(query, let_go, cancel, poll_it, wait_for_it, NULL, &g_general);
    MPI_Request copy = g_general;
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
}
#endif

#ifndef OPEN_MPI /* where a handle is an address */
/* There is no such communicator, and the handler of errors hears of it once. */
static int g_heard = 0;
static void hear(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    ++g_heard;
}

static void no_such_communicator(void) {
    int value = 1;
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    check(MPI_Bcast(&value, 1, MPI_INT, 0, 77) != MPI_SUCCESS, "Bcast on no communicator");
    check(g_heard == 1, "an error is heard of once");
    MPI_Errhandler_free(&handler);
}
#endif

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "";
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
    if (strcmp(what, "in-steps") == 0) in_steps();
    if (strcmp(what, "between") == 0) between();
    if (strcmp(what, "failed") == 0) failed(0);
    if (strcmp(what, "failed-new") == 0) failed(1);
    if (strcmp(what, "failed-asleep") == 0) failed_while_others_sleep();
    if (strcmp(what, "unseen") == 0) unseen();
    if (strcmp(what, "polled") == 0) polled();
    if (strcmp(what, "file-requests") == 0) file_requests();
    if (strcmp(what, "locks") == 0) locks();
    if (strcmp(what, "starts") == 0) starts();
#ifdef MPICH
    if (strcmp(what, "generalised") == 0) generalised();
#endif
#ifndef OPEN_MPI
    if (strcmp(what, "no-such") == 0) no_such_communicator();
#endif
    printf("rank %d of %d: %s right\n", g_rank, g_size, what);
    MPI_Finalize();
    return 0;
}
