/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   Programs in which ranks wait in every way that MPI has, each by its name; run_waiting.py runs them with and without
   the library that wraps MPI. A rank that finds a wrong result ends the job with status 3. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

static void collectives_on(MPI_Comm comm) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int *all = calloc((size_t)size, sizeof(int)), *ones = malloc((size_t)size * sizeof(int));
    int* places = malloc((size_t)size * sizeof(int));
    MPI_Datatype* types = malloc((size_t)size * sizeof(MPI_Datatype));
    for (int i = 0; i < size; ++i) {
        ones[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
    }
    int* bytes = malloc((size_t)size * sizeof(int));
    for (int i = 0; i < size; ++i) bytes[i] = i * (int)sizeof(int);
    for (int step = 0; step < 12; ++step) {
        const int root = step % size, mine = 10 * step + rank, sum_of_ranks = size * (size - 1) / 2;
        int got = -1, sum = -1;
        if (rank == step % size) compute(3);
        MPI_Barrier(comm);
        got = rank == root ? step : -1;
        MPI_Bcast(&got, 1, MPI_INT, root, comm);
        check(got == step, "Bcast");
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(sum == 10 * step * size + sum_of_ranks, "Allreduce");
        MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, comm);
        if (rank == root) check(sum == 10 * step * size + sum_of_ranks, "Reduce");
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, comm);
        if (rank == root) check(all[size - 1] == 10 * step + size - 1, "Gather");
        MPI_Scatter(all, 1, MPI_INT, &got, 1, MPI_INT, root, comm);
        check(got == mine, "Scatter");
        MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm);
        check(all[size - 1] == 10 * step + size - 1, "Allgather");
        MPI_Allgatherv(&mine, 1, MPI_INT, all, ones, places, MPI_INT, comm);
        MPI_Gatherv(&mine, 1, MPI_INT, all, ones, places, MPI_INT, root, comm);
        MPI_Scatterv(all, ones, places, MPI_INT, &got, 1, MPI_INT, root, comm);
        check(got == mine, "Scatterv");
        int* out = malloc((size_t)size * sizeof(int));
        for (int i = 0; i < size; ++i) out[i] = 100 * rank + i;
        MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, comm);
        check(all[size - 1] == 100 * (size - 1) + rank, "Alltoall");
        MPI_Alltoallv(out, ones, places, MPI_INT, all, ones, places, MPI_INT, comm);
        MPI_Alltoallw(out, ones, bytes, types, all, ones, bytes, types, comm);
        check(all[size - 1] == 100 * (size - 1) + rank, "Alltoallw");
        MPI_Reduce_scatter_block(ones, &got, 1, MPI_INT, MPI_SUM, comm);
        check(got == size, "Reduce_scatter_block");
        MPI_Reduce_scatter(ones, &got, ones, MPI_INT, MPI_SUM, comm);
        check(got == size, "Reduce_scatter");
        MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(sum == 10 * step * (rank + 1) + rank * (rank + 1) / 2, "Scan");
        MPI_Exscan(&mine, &got, 1, MPI_INT, MPI_SUM, comm);
        if (rank > 0) check(got == 10 * step * rank + rank * (rank - 1) / 2, "Exscan");
        free(out);
    }
    free(all);
    free(ones);
    free(places);
    free(bytes);
    free(types);
}

static void collectives(void) {
    MPI_Comm part;
    collectives_on(MPI_COMM_WORLD);
    collectives_on(MPI_COMM_SELF);
    MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, -g_rank, &part);
    collectives_on(part);
    MPI_Comm_free(&part);
    MPI_Comm_dup(MPI_COMM_WORLD, &part);
    collectives_on(part);
    MPI_Comm_free(&part);
}

/* Communicators that live for a moment, more of them than there are places for their arrivals. */
static void churn(void) {
    MPI_Comm kept[200];
    for (int i = 0; i < 200; ++i) {
        int sum = 0;
        MPI_Comm_split(MPI_COMM_WORLD, (g_rank + i) % 2, g_rank, &kept[i]);
        for (int k = 0; k < 10; ++k) MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_MAX, kept[i]);
        check(sum == i, "Allreduce on one of many communicators");
        if (i % 3 == 0) MPI_Comm_free(&kept[i]);
    }
    for (int i = 0; i < 200; ++i)
        if (i % 3 != 0) MPI_Comm_free(&kept[i]);
}

static void between_groups(void) {
    if (g_size < 2) return;
    MPI_Comm part, between, merged;
    const int low = g_rank < g_size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, low, g_rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, low ? g_size / 2 : 0, 7, &between);
    for (int i = 0; i < 20; ++i) {
        int mine = 1, sum = 0, others = 0;
        if (g_rank == 0) compute(1);
        MPI_Barrier(between);
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, between);
        MPI_Comm_remote_size(between, &others);
        check(sum == others, "Allreduce on an intercommunicator");
        int rank;
        MPI_Comm_rank(part, &rank);
        const int other = rank < others ? rank : others - 1;
        if (rank < others && rank < g_size - others)
            MPI_Sendrecv(&mine, 1, MPI_INT, other, 3, &sum, 1, MPI_INT, other, 3, between, MPI_STATUS_IGNORE);
    }
    MPI_Intercomm_merge(between, low, &merged);
    collectives_on(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&part);
}

enum { LARGE = 1 << 20 };

static void messages(void) {
    const int next = (g_rank + 1) % g_size, last = (g_rank + g_size - 1) % g_size;
    int *out = malloc(LARGE * sizeof(int)), *in = malloc(LARGE * sizeof(int));
    for (int step = 0; step < 12; ++step) {
        const int count = step % 2 ? LARGE : 3;
        MPI_Request requests[2];
        MPI_Status statuses[2], status;
        int index, indices[2], done;
        for (int i = 0; i < count; ++i) out[i] = g_rank + step + i;
        if (g_rank == step % g_size) compute(3);
        MPI_Irecv(in, count, MPI_INT, last, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, count, MPI_INT, next, step, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        check(in[count - 1] == last + step + count - 1, "Waitall");
        check(statuses[0].MPI_SOURCE == last && statuses[0].MPI_TAG == step, "the status of Waitall");
        memset(in, 0, LARGE * sizeof(int));
        if (g_rank == step % g_size) compute(3);
        MPI_Sendrecv(out, count, MPI_INT, next, step, in, count, MPI_INT, last, step, MPI_COMM_WORLD, &status);
        check(in[count - 1] == last + step + count - 1 && status.MPI_SOURCE == last, "Sendrecv");
        MPI_Get_count(&status, MPI_INT, &done);
        check(done == count, "the count of Sendrecv");
        MPI_Sendrecv_replace(out, count, MPI_INT, next, 5, last, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(out[0] == last + step, "Sendrecv_replace");
        if (g_rank % 2 == 0) {
            MPI_Send(out, count, MPI_INT, next, step, MPI_COMM_WORLD);
            if (g_size % 2 == 0 || g_rank != 0 || last % 2 != 0)
                MPI_Recv(in, count, MPI_INT, last, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            else
                MPI_Recv(in, count, MPI_INT, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &status);
        } else {
            MPI_Probe(last, step, MPI_COMM_WORLD, &status);
            MPI_Recv(in, count, MPI_INT, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Ssend(out, count, MPI_INT, next, step, MPI_COMM_WORLD);
        }
        MPI_Irecv(in, count, MPI_INT, last, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, count, MPI_INT, next, step, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &index, &status);
        check(index == 0 || index == 1, "Waitany");
        MPI_Waitsome(2, requests, &done, indices, statuses);
        check(done == 1 && indices[0] == 1 - index, "Waitsome");
        MPI_Waitsome(2, requests, &done, indices, statuses);
        check(done == MPI_UNDEFINED, "Waitsome of nothing");
        MPI_Wait(&requests[0], &status);
        MPI_Recv_init(in, count, MPI_INT, last, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Send_init(out, count, MPI_INT, next, step, MPI_COMM_WORLD, &requests[1]);
        for (int k = 0; k < 3; ++k) {
            if (g_rank == k % g_size) compute(2);
            MPI_Startall(2, requests);
            MPI_Waitall(2, requests, statuses);
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
        check(status.MPI_SOURCE == MPI_PROC_NULL, "Recv from nobody");
    }
    free(out);
    free(in);
}

/* A rank that sleeps at a barrier has to serve those who cannot come before it has: a message that takes both sides,
   and one-sided calls to its memory. */
static void progress(void) {
    int* buffer = calloc(LARGE, sizeof(int));
    for (int step = 0; step < 6; ++step) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (g_rank == 0 && g_size > 1) MPI_Irecv(buffer, LARGE, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        if (g_rank == 1) {
            compute(10);
            buffer[LARGE - 1] = step;
            MPI_Send(buffer, LARGE, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (g_rank == 0 && g_size > 1) check(buffer[LARGE - 1] == step, "a message during a barrier");
    }
    int* memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, g_rank, 0, window);
    *memory = 0;
    MPI_Win_unlock(g_rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (g_rank != 0) {
        const int one = 1;
        int before;
        compute(5);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (g_rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        check(*memory == g_size - 1, "Fetch_and_op to a rank at a barrier");
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    free(buffer);
}

static void* in_thread(void* argument) {
    MPI_Comm comm = *(MPI_Comm*)argument;
    const int next = (g_rank + 1) % g_size, last = (g_rank + g_size - 1) % g_size;
    for (int i = 0; i < 40; ++i) {
        int sum = 0, one = 1, got = -1;
        if (i % g_size == g_rank) compute(1);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(sum == g_size, "Allreduce in a thread");
        MPI_Sendrecv(&i, 1, MPI_INT, next, 1, &got, 1, MPI_INT, last, 1, comm, MPI_STATUS_IGNORE);
        check(got == i, "Sendrecv in a thread");
    }
    return NULL;
}

static void threads(void) {
    MPI_Comm comms[3];
    pthread_t others[3];
    for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 3; ++i) pthread_create(&others[i], NULL, in_thread, &comms[i]);
    for (int i = 0; i < 3; ++i) pthread_join(others[i], NULL);
    for (int i = 0; i < 3; ++i) MPI_Comm_free(&comms[i]);
}

static void spawn(char* program) {
    MPI_Comm between, merged;
    char* words[] = {"child", NULL};
    MPI_Comm_get_parent(&between);
    const int child = between != MPI_COMM_NULL;
    if (!child) MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(between, child, &merged);
    collectives_on(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&between);
}

/* The root of a small MPI_Bcast goes on without the others, which wait for what it sends after that: MPI does not ask
   for that, but programs live by it. On communicators of every making, more calls than any threshold. */
static void root_goes_on_on(MPI_Comm comm) {
    for (int step = 0; step < 40; ++step) {
        int got = step;
        if (g_rank == 0) {
            MPI_Bcast(&got, 1, MPI_INT, 0, comm);
            MPI_Send(&got, 1, MPI_INT, 1, 0, comm);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Bcast(&got, 1, MPI_INT, 0, comm);
        }
        check(got == step, "Bcast whose root goes on");
    }
}

static void root_goes_on(void) {
    MPI_Comm copy, part, grid;
    const int size = g_size, wraps = 0;
    root_goes_on_on(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    root_goes_on_on(copy);
    MPI_Comm_split(copy, 0, g_rank, &part);
    root_goes_on_on(part);
    MPI_Cart_create(part, 1, &size, &wraps, 0, &grid);
    root_goes_on_on(grid);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&part);
    /* It is freed while the other rank waits for a message. */
    if (g_rank == 0) {
        MPI_Comm_free(&copy);
        MPI_Send(&size, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        int got = 0;
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_free(&copy);
    }
}

/* Collective calls on nothing need not wait for anybody: the second rank goes on and sends what the first waits for. */
static void nothing_to_share(void) {
    for (int step = 0; step < 4; ++step) {
        int value = step, got = -1;
        if (g_rank == 0) MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (step % 2 == 0) MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD);
        if (step % 2 == 1) MPI_Allreduce(&value, &got, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (g_rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (g_rank == 0) check(got == step, "a message after a collective call on nothing");
    }
}

static void check_class(int code, int expected, const char* what) {
    int class = -1;
    MPI_Error_class(code, &class);
    if (class != expected) fprintf(stderr, "rank %d: error class %d instead of %d\n", g_rank, class, expected);
    check(class == expected, what);
}

/* Errors that the program wants to hear of are those of its own calls, and leave nothing behind. */
static void errors(void) {
    const MPI_Comm world = MPI_COMM_WORLD;
    int out[2] = {7, 8}, in[2] = {-1, -1};
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (g_rank == 0) {
        MPI_Status* const none = MPI_STATUS_IGNORE;
        check_class(MPI_Send(out, 1, MPI_INT, 99, 5, world), MPI_ERR_RANK, "Send to no rank");
        check_class(MPI_Ssend(out, -1, MPI_INT, 1, 5, world), MPI_ERR_COUNT, "Ssend of a negative count");
        check_class(MPI_Send(out, 1, MPI_INT, 1, -5, world), MPI_ERR_TAG, "Send with a negative tag");
        check_class(MPI_Send(out, 1, MPI_DATATYPE_NULL, 1, 5, world), MPI_ERR_TYPE, "Send of no type");
        check_class(MPI_Recv(in, 1, MPI_INT, 99, 5, world, none), MPI_ERR_RANK, "Recv from no rank");
        check_class(MPI_Recv(in, 1, MPI_DATATYPE_NULL, 1, 5, world, none), MPI_ERR_TYPE, "Recv of no type");
        check_class(MPI_Sendrecv(out, 1, MPI_INT, 99, 5, in, 1, MPI_INT, 1, 5, world, none), MPI_ERR_RANK,
                    "Sendrecv to no rank");
        check_class(MPI_Sendrecv(out, 1, MPI_INT, 1, 6, in, 1, MPI_INT, 99, 5, world, none), MPI_ERR_RANK,
                    "Sendrecv from no rank");
        check_class(MPI_Sendrecv(out, 1, MPI_DATATYPE_NULL, 1, 5, in, 1, MPI_INT, 1, 5, world, none), MPI_ERR_TYPE,
                    "Sendrecv of no type");
        MPI_Barrier(world);
        check_class(MPI_Recv(in, 1, MPI_INT, 1, 5, world, none), MPI_SUCCESS, "Recv");
        check(in[0] == 42, "a message after calls that failed");
        check_class(MPI_Recv(in, 1, MPI_INT, 1, 6, world, none), MPI_ERR_TRUNCATE, "Recv of a message that is longer");
        check_class(MPI_Send(out, 1, MPI_INT, 1, 7, world), MPI_SUCCESS, "Send");
    } else {
        out[0] = 42;
        MPI_Barrier(world);
        MPI_Send(out, 1, MPI_INT, 0, 5, world);
        MPI_Send(out, 2, MPI_INT, 0, 6, world);
        MPI_Recv(in, 1, MPI_INT, 0, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
        check(in[0] == 7, "the first message that was sent without an error");
    }
}

/* Calls that end the job, and say why. */
static void refused(const char* what) {
    int value = 1;
    if (g_rank == 0 && strcmp(what, "no-communicator") == 0) MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_NULL);
    if (g_rank == 0 && strcmp(what, "no-rank") == 0) MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (g_rank == 0 && strcmp(what, "no-sender") == 0) MPI_Probe(99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The last rank ends in the midst of it. */
static void ends_early(const char* how) {
    for (int step = 0; step < 20; ++step) {
        int sum = 0;
        if (step == 10 && g_rank == g_size - 1) {
            compute(50);
            if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
            if (strcmp(how, "kill") == 0) raise(SIGKILL);
            if (strcmp(how, "exit") == 0) exit(6);
        }
        MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
}

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "collectives";
    int level = MPI_THREAD_SINGLE;
    const int wanted = strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
    MPI_Init_thread(&count, &words, wanted, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
    if (strcmp(what, "collectives") == 0) collectives();
    if (strcmp(what, "churn") == 0) churn();
    if (strcmp(what, "groups") == 0) between_groups();
    if (strcmp(what, "messages") == 0) messages();
    if (strcmp(what, "progress") == 0) progress();
    if (strcmp(what, "threads") == 0 && level == MPI_THREAD_MULTIPLE) threads();
    if (strcmp(what, "spawn") == 0 || strcmp(what, "child") == 0) spawn(words[0]);
    if (strcmp(what, "root") == 0) root_goes_on();
    if (strcmp(what, "nothing") == 0) nothing_to_share();
    if (strcmp(what, "errors") == 0) errors();
    if (strncmp(what, "no-", 3) == 0) refused(what);
    if (strcmp(what, "abort") == 0 || strcmp(what, "kill") == 0 || strcmp(what, "exit") == 0) ends_early(what);
    printf("rank %d of %d: %s right\n", g_rank, g_size, what);
    MPI_Finalize();
    return 0;
}
