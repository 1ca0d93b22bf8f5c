/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   Programs of which it is known who waits for whom, where and for how long, each by its name; run_waiting.py compares
   that with what the records say. A rank that finds a wrong result ends the job with status 3. */
#include <mpi.h>
#include <string.h>

#include "ranks.h"

/* What is lost is known: in each of 10 steps the last rank computes for 150 ms more than the others. */
static void known(void) {
    for (int step = 0; step < 10; ++step) {
        int sum = 0;
        compute(g_rank == g_size - 1 ? 200 : 50);
        MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
}

/* Arrivals are known on communicators that come from others. */
static void descent(void) {
    MPI_Comm copy, part;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, 0, -g_rank, &part);
    for (int step = 0; step < 100; ++step) MPI_Barrier(part);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
}

/* The last rank is late at calls that were not looked at once. */
static void late_at_others(void) {
    const int late = g_rank == g_size - 1;
    int* memory;
    MPI_Win window;
    MPI_Group group;
    MPI_File file;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_File_open(MPI_COMM_WORLD, "late.bin", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int step = 0; step < 4; ++step) {
        MPI_Comm made;
        int value = step;
        if (late) compute(150);
        MPI_Win_fence(0, window);
        if (late) compute(150);
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        MPI_Comm_free(&made);
        if (late) compute(150);
        MPI_Comm_split(MPI_COMM_WORLD, 0, g_rank, &made);
        MPI_Comm_free(&made);
        if (late) compute(150);
        MPI_Comm_create(MPI_COMM_WORLD, group, &made);
        MPI_Comm_free(&made);
        if (late) {
            compute(150);
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        } else if (g_rank == 0) {
            MPI_Message message;
            MPI_Mprobe(g_size - 1, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Win_free(&window);
    MPI_Group_free(&group);
}

/* Two functions at one place. */
__attribute__((noinline)) static void send_by(int (*function)(const void*, int, MPI_Datatype, int, int, MPI_Comm)) {
    const int value = 1;
    function(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

static void pointers(void) {
    int (*const functions[])(const void*, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Ssend};
    for (int step = 0; step < 10; ++step) {
        int got;
        if (g_rank == 0) send_by(functions[step % 2]);
        if (g_rank == 1) MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Of some requests the first is there at once, and each other one 300 ms after the one before. */
enum { REQUESTS = 6 };

static void one_by_one(void) {
    for (int some = 0; some < 2; ++some) {
        MPI_Request requests[REQUESTS];
        MPI_Status statuses[REQUESTS];
        int got[REQUESTS], places[REQUESTS], done = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < REQUESTS && g_rank == 0; ++i)
            MPI_Irecv(&got[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < REQUESTS && g_rank == 1; ++i) {
            if (i > 0) compute(300);
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
        while (g_rank == 0 && done < REQUESTS) {
            int now = 1;
            if (some)
                MPI_Waitsome(REQUESTS, requests, &now, places, statuses);
            else
                MPI_Waitany(REQUESTS, requests, &places[0], MPI_STATUS_IGNORE);
            for (int i = 0; i < now; ++i) check(got[places[i]] == places[i], "requests that complete one by one");
            done += now;
        }
        if (g_rank != 0) continue;
        MPI_Waitany(REQUESTS, requests, &done, MPI_STATUS_IGNORE);
        check(done == MPI_UNDEFINED, "Waitany of nothing");
    }
}

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "known";
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
    if (strcmp(what, "known") == 0) known();
    if (strcmp(what, "descent") == 0) descent();
    if (strcmp(what, "late") == 0) late_at_others();
    if (strcmp(what, "pointers") == 0) pointers();
    if (strcmp(what, "one-by-one") == 0) one_by_one();
    printf("rank %d of %d: %s right\n", g_rank, g_size, what);
    MPI_Finalize();
    return 0;
}
