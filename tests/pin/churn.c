/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread that computes, and others that live for 10 ms each, for so many seconds. Prints how often one of them ran
   where the process may not, and how many there were. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static cpu_set_t inherited;
static int outside;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* compute(void* seconds) {
    const double end = now() + *(const double*)seconds;
    volatile double sink = 0;
    while (now() < end) {
        for (int i = 0; i < 20000; ++i) sink = sink + i;
        cpu_set_t mask, both;
        sched_getaffinity(0, sizeof mask, &mask);
        CPU_AND(&both, &mask, &inherited);
        if (!CPU_EQUAL(&both, &mask)) __atomic_store_n(&outside, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(int argc, char** argv) {
    double all = argc > 1 ? atof(argv[1]) : 2, life = 0.01;
    sched_getaffinity(0, sizeof inherited, &inherited);
    const double end = now() + all;
    pthread_t steady, first, second;
    if (pthread_create(&steady, NULL, compute, &all) != 0) return 3;
    int count = 1;
    for (; now() < end; count += 2) {
        if (pthread_create(&first, NULL, compute, &life) != 0 || pthread_create(&second, NULL, compute, &life) != 0)
            return 3;
        pthread_join(first, NULL);
        pthread_join(second, NULL);
    }
    pthread_join(steady, NULL);
    printf("outside=%d threads=%d\n", outside, count);
    return outside ? 4 : 7;
}
