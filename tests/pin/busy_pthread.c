/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that compute for a while. Arguments: threads, seconds. At the end each prints whether it ever had a mask that
   the process did not inherit, and how many processors it had at most and at least. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static cpu_set_t inherited;
static double seconds;

struct seen {
    int most, least, outside;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* compute(void* argument) {
    struct seen* const seen = argument;
    const double end = now() + seconds;
    volatile double sink = 0;
    seen->least = CPU_SETSIZE;
    while (now() < end) {
        for (int i = 0; i < 200000; ++i) sink = sink + i;
        cpu_set_t mask, both;
        sched_getaffinity(0, sizeof mask, &mask);
        CPU_AND(&both, &mask, &inherited);
        const int count = CPU_COUNT(&mask);
        if (!CPU_EQUAL(&both, &mask)) seen->outside = 1;
        if (count > seen->most) seen->most = count;
        if (count < seen->least) seen->least = count;
    }
    return NULL;
}

int main(int argc, char** argv) {
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
    seconds = argc > 2 ? atof(argv[2]) : 1.5;
    sched_getaffinity(0, sizeof inherited, &inherited);
    struct seen* const seen = calloc((size_t)threads, sizeof *seen);
    pthread_t* const id = calloc((size_t)threads, sizeof *id);
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&id[i], NULL, compute, &seen[i]) != 0) return 3;
    for (int i = 0; i < threads; ++i) pthread_join(id[i], NULL);
    int outside = 0, least = CPU_SETSIZE, most = 0;
    for (int i = 0; i < threads; ++i) {
        outside |= seen[i].outside;
        if (seen[i].least < least) least = seen[i].least;
        if (seen[i].most > most) most = seen[i].most;
    }
    printf("inherited=%d outside=%d least=%d most=%d\n", CPU_COUNT(&inherited), outside, least, most);
    return outside ? 4 : 7;
}
