/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of a team whose threads are bound, one of them to a core that other threads spin on. Every iteration must run
 * once, and afterwards every thread must have the mask that it began with. `lending THREAD ROUNDS` says whose core is
 * taken, and how often the loops run; a third argument, that all of them are nested regions. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 600, CROWD = 2 };

static atomic_int over;
static int taken_core;
static unsigned char runs[N];
static unsigned long expected;

static void *spin(void *unused) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(taken_core, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
    }
    return unused;
}

static void work(int i) {
    volatile double x = i;
    for (int k = 0; k < 4000; ++k) x = x * 0.999 + 1;
    ++runs[i];
}

static cpu_set_t first_mask; /* of the primary */
static int narrower;         /* threads that began with less */

static void *look_at_mask(void *unused) {
    cpu_set_t mine, both;
    sched_getaffinity(0, sizeof mine, &mine);
    CPU_AND(&both, &mine, &first_mask);
    if (!CPU_EQUAL(&both, &first_mask)) ++narrower;
    return unused;
}

/* What the program starts between two regions has the whole mask of its thread. */
static void start_a_thread(void) {
    pthread_t one;
    if (pthread_create(&one, NULL, look_at_mask, NULL) == 0) pthread_join(one, NULL);
}

static int check(const char *form) {
    start_a_thread();
    ++expected;
    for (int i = 0; i < N; ++i) {
        if (runs[i] != (unsigned char)expected) {
            printf("%s: iteration %d ran %d times\n", form, i, (int)(unsigned char)(runs[i] - expected + 1));
            return 1;
        }
    }
    return 0;
}

static int plain(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N; ++i) work(i);
    return check("plain");
}

static int nowait_and_barrier(void) {
    int failed = 0;
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < N / 2; ++i) work(i);
#pragma omp for schedule(runtime)
        for (int i = N / 2; i < N; ++i) work(i);
#pragma omp barrier
#pragma omp master
        failed = check("nowait");
#pragma omp barrier
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; ++i) work(i);
    }
    return failed | check("after a barrier");
}

static int reduction(void) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < N; ++i) {
        work(i);
        sum += i;
    }
    if (sum != (long)N * (N - 1) / 2) {
        printf("reduction: %ld\n", sum);
        return 1;
    }
    return check("reduction");
}

static int tasks(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N / 10; ++i) {
#pragma omp taskloop num_tasks(10)
        for (int k = 0; k < 10; ++k) work(10 * i + k);
    }
    return check("tasks");
}

static int cancelled(void) {
    int last = 0;
#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; ++i) {
            if (i == N / 2) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
            volatile double x = i;
            for (int k = 0; k < 100; ++k) x = x * 0.999 + 1;
        }
#pragma omp atomic
        last += 1;
    }
    return last > omp_get_max_threads();
}

static int serial_part_and_nested(void) {
    int failed = plain();
    volatile double x = 0;
    for (int k = 0; k < 200000; ++k) x = x * 0.999 + 1;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp parallel for schedule(runtime) num_threads(2)
            for (int i = 0; i < N; ++i) work(i);
        }
    }
    return failed | check("nested");
}

/* Threads of both teams at the same time: twice as many as in one. Those of the inner ones spin on for a while. */
static int nested(void) {
    static atomic_int count;
    atomic_store(&count, 0);
    const int failed = plain();
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N / 10; ++i) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int k = 0; k < 10; ++k) {
            volatile double x = k;
            for (int j = 0; j < 4000; ++j) x = x * 0.999 + 1;
            atomic_fetch_add(&count, 1);
        }
    }
    return failed | (atomic_load(&count) != N / 10 * 10);
}

int main(int argc, char **argv) {
    enum { MOST = 64 };
    static cpu_set_t before[MOST], after[MOST];
    int thread = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 8, failed = 0;
    int threads = omp_get_max_threads() < MOST ? omp_get_max_threads() : MOST;
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num();
        sched_getaffinity(0, sizeof before[me], &before[me]);
        if (me == thread) taken_core = sched_getcpu();
    }
    first_mask = before[0];
    pthread_t crowd[CROWD];
    for (int i = 0; i < CROWD; ++i) pthread_create(&crowd[i], NULL, spin, NULL);
    if (argc > 3) omp_set_max_active_levels(2);
    for (int round = 0; argc > 3 && round < rounds && !failed; ++round) failed = nested();
    for (int round = 0; argc <= 3 && round < rounds && !failed; ++round)
        failed = plain() | nowait_and_barrier() | reduction() | tasks() | cancelled() | serial_part_and_nested();
    atomic_store(&over, 1);
    for (int i = 0; i < CROWD; ++i) pthread_join(crowd[i], NULL);
    if (narrower) {
        printf("%d threads that the primary started had less than its mask\n", narrower);
        failed = 1;
    }
    usleep(50000); /* a core stays lent for at most 10 ms */
#pragma omp parallel num_threads(threads)
    sched_getaffinity(0, sizeof after[omp_get_thread_num()], &after[omp_get_thread_num()]);
    for (int i = 0; i < threads; ++i) {
        if (!CPU_EQUAL(&before[i], &after[i])) {
            printf("thread %d: another mask than at first\n", i);
            failed = 1;
        }
    }
    puts(failed ? "failed" : "passed");
    return failed;
}
