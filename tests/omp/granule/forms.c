/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops as compilers make them. A thread that goes on with another iteration than the next one has begun a chunk: that
 * must be at a multiple of the loop's chunk, counted from its first iteration. Exit status: 0 if it was every time. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 5003, C = 16, EXECUTIONS = 6, THREADS = 3 };

static int last[THREADS];
static int failures, ran;

static void begin(void) {
    memset(last, -2, sizeof last);
    ran = 0;
}

static void visit(const char* form, int i) {
    int* const mine = &last[omp_get_thread_num()];
    if (i != *mine + 1 && i % C != 0) {
#pragma omp critical
        if (++failures <= 20) printf("FAIL %s: a chunk begins at iteration %d\n", form, i);
    }
    *mine = i;
#pragma omp atomic
    ++ran;
}

static void end(const char* form, int all) {
    if (ran != all && ++failures <= 20) printf("FAIL %s: %d of %d iterations ran\n", form, ran, all);
}

static void plain(void) {
    begin();
#pragma omp parallel for schedule(dynamic, C) num_threads(THREADS)
    for (int i = 0; i < N; ++i) visit("dynamic", i);
    end("dynamic", N);
}

static void guided(void) {
    begin();
#pragma omp parallel for schedule(monotonic : guided, C) num_threads(THREADS)
    for (unsigned long long i = 7; i < 7 + 3ULL * N; i += 3) visit("guided", (int)(i - 7) / 3);
    end("guided", N);
}

static void down(void) {
    begin();
#pragma omp parallel for schedule(nonmonotonic : dynamic, C) num_threads(THREADS)
    for (long i = 10 * N; i > 0; i -= 10) visit("down", N - (int)(i / 10));
    end("down", N);
}

static void ordered(void) {
    begin();
    int next = 0;
#pragma omp parallel for schedule(dynamic, C) ordered num_threads(THREADS)
    for (int i = 0; i < N; ++i) {
        visit("ordered", i);
#pragma omp ordered
        if (next++ != i) ++failures;
    }
    end("ordered", N);
}

static void collapse(void) {
    begin();
#pragma omp parallel for schedule(dynamic, C) collapse(2) num_threads(THREADS)
    for (int i = 0; i < 71; ++i)
        for (int k = 70; k > 0; --k) visit("collapse", i * 70 + 70 - k);
    end("collapse", 71 * 70);
}

static void simd(void) {
    begin();
#pragma omp parallel for simd schedule(dynamic, C) num_threads(THREADS)
    for (int i = 0; i < N; ++i) visit("simd", i);
    end("simd", N);
}

static void cancelled(void) {
    begin();
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic, C)
        for (int i = 0; i < N; ++i) {
            visit("cancelled", i);
            if (i == N / 2) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
}

static void nowait(void) {
    begin();
#pragma omp parallel num_threads(THREADS)
    for (int k = 0; k < 20; ++k) {
        last[omp_get_thread_num()] = -2;
#pragma omp for schedule(dynamic, C) nowait
        for (int i = 0; i < N / 10; ++i) visit("nowait", i);
    }
    end("nowait", 20 * (N / 10));
}

int main(void) {
    for (int i = 0; i < EXECUTIONS; ++i) {
        plain();
        guided();
        down();
        ordered();
        collapse();
        simd();
        cancelled();
        nowait();
    }
    return failures != 0;
}
