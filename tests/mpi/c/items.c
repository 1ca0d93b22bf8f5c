/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Distributed data through the C interface: rank 0 owns nearly everything; each item is squared once, and its result is
 * back where it belongs. A callback that gives up is heard of. */
#include <gimbal/mpi/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    double* items;
    int own, stolen;
} work;

static double squared(double item) {
    volatile double sink = 0;
    int i;
    for (i = 0; i < 2000; i++) sink += i;
    return sink < 0 ? sink : item * item;
}

static int run(void* user, int64_t first, int64_t count) {
    work* const mine = (work*)user;
    int64_t i;
    for (i = first; i < first + count; i++) mine->items[i] = squared(mine->items[i]);
    mine->own += (int)count;
    return 0;
}

static int pack(void* user, int64_t first, int64_t count, gimbal_mpi_buffer* items) {
    return gimbal_mpi_append_bytes(items, ((work*)user)->items + first, (size_t)count * sizeof(double));
}

static int run_stolen(void* user, int owner, int64_t first, int64_t count, const void* items, size_t bytes,
                      gimbal_mpi_buffer* results) {
    int64_t i;
    (void)owner;
    (void)first;
    if (bytes != (size_t)count * sizeof(double)) return 1;
    for (i = 0; i < count; i++) {
        const double result = squared(((const double*)items)[i]);
        if (gimbal_mpi_append_bytes(results, &result, sizeof result) < 0) return 2;
    }
    ((work*)user)->stolen += (int)count;
    return 0;
}

static int accept_results(void* user, int64_t first, int64_t count, const void* results, size_t bytes) {
    int64_t i;
    if (bytes != (size_t)count * sizeof(double)) return 3;
    for (i = 0; i < count; i++) ((work*)user)->items[first + i] = ((const double*)results)[i];
    return 0;
}

static int give_up(void* user, int64_t first, int64_t count) {
    (void)user;
    (void)first;
    (void)count;
    return 77001;
}

static int wait_a_while(void* user, int64_t first, int64_t count) {
    const double begin = MPI_Wtime();
    (void)user;
    (void)first;
    while (MPI_Wtime() - begin < 1e-3 * (double)count) continue;
    return 0;
}

static int give_up_stolen(void* user, int owner, int64_t first, int64_t count, const void* items, size_t bytes,
                          gimbal_mpi_buffer* results) {
    (void)owner;
    (void)items;
    (void)bytes;
    (void)results;
    return give_up(user, first, count);
}

/* The owner of what a thief gives up hears of it in words that it knows. @return errors */
static int stolen_items_given_up(int rank, work* mine) {
    const gimbal_mpi_steal_work calls = {mine, wait_a_while, pack, give_up_stolen, NULL};
    const gimbal_mpi_steal_options one = {0, 0, 1};
    const int code = gimbal_mpi_run_items(MPI_COMM_WORLD, "stolen given up", rank == 0 ? 300 : 0, &calls, &one, NULL);
    const char* const said = gimbal_mpi_error_text();
    int thieves = code == 77001, told = 0;
    if (rank == 0)
        told = code == GIMBAL_ERROR_WRONG_USE && strstr(said, "which stole them, failed: a callback returned 77001");
    MPI_Allreduce(MPI_IN_PLACE, &thieves, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return rank == 0 && told != (thieves > 0);
}

int main(int argc, char** argv) {
    int rank, size, i, step, bad = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int owned = rank == 0 ? 2000 : 3;
    work mine = {(double*)malloc((size_t)owned * sizeof(double)), 0, 0};
    gimbal_mpi_steal_work calls = {&mine, run, pack, run_stolen, accept_results};
    const char* const ratio = getenv("GIMBAL_MPI_STEAL_RATIO");
    const gimbal_mpi_steal_options nothing = {0};
    for (step = 0; step < 5; step++) {
        gimbal_mpi_steal_record record;
        mine.own = mine.stolen = 0;
        for (i = 0; i < owned; i++) mine.items[i] = i;
        if (gimbal_mpi_run_items(MPI_COMM_WORLD, "c items", owned, &calls, &nothing, &record) != 0) {
            fprintf(stderr, "%s\n", gimbal_mpi_error_text());
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        for (i = 0; i < owned; i++) bad += mine.items[i] != (double)i * i;
        bad += record.own != mine.own || record.stolen != mine.stolen || record.own + record.given != owned;
        bad += ratio && record.ratio != atof(ratio);
    }
    if (size == 1) { /* alone, so that nobody waits for the items that are not run */
        calls.run = give_up;
        bad += gimbal_mpi_run_items(MPI_COMM_WORLD, "given up", owned, &calls, NULL, NULL) != 77001;
    } else {
        bad += stolen_items_given_up(rank, &mine);
    }
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %d errors\n", bad ? "FAILED" : "ok", bad);
    free(mine.items);
    MPI_Finalize();
    return bad != 0;
}
