/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of "Loops over ranks" in docs/user-guide.md: chunks of a loop over ranks that threads share, and
 * distributed data whose second half costs twice as much. */
#include <gimbal/mpi/mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kForces = 6000, kParticles = 1000, kSteps = 20 };

static double busy(int length) {
    double sum = 0;
    for (int j = 1; j < length; ++j) sum += 1 / sqrt(j);
    return sum;
}

static double forces(int64_t first, int64_t end) {
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int64_t i = first; i < end; ++i) sum += busy(100 + (int)i / 5);
    return sum;
}

typedef struct set {
    double item[kParticles];
    int length;
} set;

static int run(void* user, int64_t first, int64_t count) {
    set* mine = user;
    for (int64_t i = first; i < first + count; ++i) mine->item[i] = busy(mine->length);
    return 0;
}

static int pack(void* user, int64_t first, int64_t count, gimbal_mpi_buffer* items) {
    (void)first;
    for (int64_t i = 0; i < count; ++i)
        if (gimbal_mpi_append_bytes(items, &((set*)user)->length, sizeof(int)) < 0) return 1;
    return 0;
}

static int run_stolen(void* user, int owner, int64_t first, int64_t count, const void* items, size_t bytes,
                      gimbal_mpi_buffer* results) {
    (void)user, (void)owner, (void)first, (void)bytes;
    for (int64_t i = 0; i < count; ++i) {
        const double result = busy(((const int*)items)[i]);
        if (gimbal_mpi_append_bytes(results, &result, sizeof result) < 0) return 1;
    }
    return 0;
}

static int accept_results(void* user, int64_t first, int64_t count, const void* results, size_t bytes) {
    (void)bytes;
    for (int64_t i = 0; i < count; ++i) ((set*)user)->item[first + i] = ((const double*)results)[i];
    return 0;
}

static void must(int code) {
    if (code >= 0) return;
    fprintf(stderr, "sph: %s\n", gimbal_mpi_error_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static set mine;
    mine.length = rank == 0 ? 4000 : 8000;
    const gimbal_mpi_steal_work work = {&mine, run, pack, run_stolen, accept_results};
    double total = 0;
    for (int step = 0; step < kSteps; ++step) {
        double sum = 0;
        gimbal_mpi_loop* loop;
        int64_t first, end;
        must(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "forces", kForces, NULL, &loop));
        while (gimbal_mpi_next_chunk(loop, &first, &end) == 1) sum += forces(first, end);
        must(gimbal_mpi_end_loop(&loop));
        must(gimbal_mpi_run_items(MPI_COMM_WORLD, "particles", kParticles, &work, NULL, NULL));
        for (int i = 0; i < kParticles; ++i) sum += mine.item[i];
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        total += sum;
    }
    if (rank == 0) printf("total %f\n", total / 1e6);
    MPI_Finalize();
    return 0;
}
