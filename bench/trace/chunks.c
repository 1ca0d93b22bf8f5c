/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks of one iteration whose work is known: what a trace adds to them. Arguments: iterations of an execution,
 * executions, steps of arithmetic in an iteration. Prints a JSON line: wall time and processor time of the loops,
 * chunks, and the most memory that the process has had so far, that of mapped files included. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double execute(long iterations, long steps) {
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < iterations; ++i) {
        double x = (double)(i & 7);
        for (long j = 0; j < steps; ++j) x = x * 0.5 + 1; /* each step waits for the one before */
        sum += x;
    }
    return sum;
}

int main(int argc, char** argv) {
    const long iterations = argc > 1 ? atol(argv[1]) : 100000;
    const long executions = argc > 2 ? atol(argv[2]) : 10;
    const long steps = argc > 3 ? atol(argv[3]) : 100;
    double sum = execute(iterations, steps); /* threads start, pages are mapped */
    const double wall_s = seconds(CLOCK_MONOTONIC);
    const double cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < executions; ++i) sum += execute(iterations, steps);
    struct rusage usage;
    const double took_s = seconds(CLOCK_MONOTONIC) - wall_s, used_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"wall_s\": %.9f, \"cpu_s\": %.9f, \"chunks\": %ld, \"sum\": %.17g, \"memory_kb\": %ld}\n", took_s, used_s,
           iterations * executions, sum, usage.ru_maxrss);
    return 0;
}
