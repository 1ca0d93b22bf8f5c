// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measured program of bench/dispatch: one schedule(runtime) loop whose body is one addition into a register. No
// iteration touches memory, so that two cores meet only where the runtime hands out chunks.
//
// usage:  loops N LOOPS MIN_EXECUTIONS TIME_MS          (threads and schedule come from the environment)
//   N               iterations of one loop
//   LOOPS           loops (each with its implied barrier) inside one timed parallel region
//   MIN_EXECUTIONS  timed executions at least
//   TIME_MS         go on until this much time has been measured
// prints: one JSON line; times are nanoseconds per loop, medians over the timed executions
// exit:   0; 2 on wrong arguments; 3 when a thread cannot be placed (BENCH_CPUS, measure.h);
//         4 when the sum shows that an iteration was lost or ran twice
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum { kMaxThreads = 256, kMaxExecutions = 20000, kWarmUps = 1, kWarmUpNs = 5000000 };

// One line per thread, written once at the end of a region; 128 because cores fetch neighbouring lines in pairs.
struct padded {
    _Alignas(128) uint64_t sum;
    long chunks;
};

static struct padded per_thread[kMaxThreads];
static int threads_seen;

#ifdef COUNT_CHUNKS
long take_chunk_count(void);  // count.c: chunks that this thread received since the last call
#else
static long take_chunk_count(void) {
    return 0;
}
#endif

static void run_loops(long n, long loops) {
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
        uint64_t sum = 0;
        take_chunk_count();
        for (long k = 0; k < loops; ++k) {
#pragma omp for schedule(runtime)
            for (long i = 0; i < n; ++i) {
                sum += (uint64_t)i + 1;
                __asm__ volatile("" : "+r"(sum));  // the compiler may neither drop the addition nor sum in closed form
            }
        }
        if (me < kMaxThreads) {
            per_thread[me].sum = sum;
            per_thread[me].chunks = take_chunk_count();
        }
        if (me == 0) {
            threads_seen = omp_get_num_threads();
        }
    }
}

// Every iteration i adds i + 1: a lost or doubled one shows in the sum of all threads.
static int sum_is_right(long n, long loops) {
    uint64_t sum = 0;
    for (int t = 0; t < threads_seen; ++t) {
        sum += per_thread[t].sum;
    }
    const uint64_t u = (uint64_t)n;
    return sum == (u % 2 == 0 ? u / 2 * (u + 1) : (u + 1) / 2 * u) * (uint64_t)loops;
}

static void print_chunks(long loops) {
    long chunks = 0;
    printf(",\"chunks_per_thread\":[");
    for (int t = 0; t < threads_seen; ++t) {
        chunks += per_thread[t].chunks;
        printf("%s%.1f", t == 0 ? "" : ",", (double)per_thread[t].chunks / (double)loops);
    }
    printf("],\"chunks\":%.2f", (double)chunks / (double)loops);
}

int main(int argc, char** argv) {
    static double ns[kMaxExecutions];
    const long n = argc == 5 ? strtol(argv[1], NULL, 10) : 0;
    const long loops = argc == 5 ? strtol(argv[2], NULL, 10) : 0;
    const long least = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
    const double limit_ns = argc == 5 ? strtod(argv[4], NULL) * 1e6 : -1.0;
    if (n < 1 || loops < 1 || least < 1 || least > kMaxExecutions || limit_ns < 0) {
        fprintf(stderr, "usage: loops N LOOPS MIN_EXECUTIONS TIME_MS\n");
        return 2;
    }
#pragma omp parallel
    bind_thread(omp_get_thread_num());
    const int64_t start_ns = now_ns();
    for (int k = 0; k < kWarmUps || now_ns() - start_ns < kWarmUpNs; ++k) {
        run_loops(n, loops);
    }
    double measured_ns = 0;
    long count = 0;
    while (count < kMaxExecutions && (count < least || measured_ns < limit_ns)) {
        const int64_t begin_ns = now_ns();
        run_loops(n, loops);
        const double took_ns = (double)(now_ns() - begin_ns);
        if (threads_seen > kMaxThreads || !sum_is_right(n, loops)) {
            fprintf(stderr, "loops: wrong sum: some iteration did not run exactly once\n");
            return 4;
        }
        measured_ns += took_ns;
        ns[count++] = took_ns / (double)loops;
    }
    printf("{\"ns\":%.2f,\"executions\":%ld,\"n\":%ld,\"loops\":%ld,\"threads\":%d", median(ns, count), count, n, loops,
           threads_seen);
    print_chunks(loops);
    print_runtime();
    printf("}\n");
    return 0;
}
