/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal arrives at a moment that nobody chose, and its handler calls exit(), as SIGTERM handlers of real programs
 * do. usage: exit_in_handler RECEIVER WORK DELAY_US; ends with status 7.
 *   RECEIVER  main or worker: the thread that the signal interrupts
 *   WORK      loops: one tiny loop again and again; sites: loops that never ran before; memory: the program
 *             allocates, too, and every loop is a region */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static double sink[4096];
static void* volatile kept;

static void on_signal(int number) {
    (void)number;
    exit(7);
}

static void arm(long delay_us) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGTERM};
    event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) _exit(3);
    const struct itimerspec when = {.it_value = {delay_us / 1000000, delay_us % 1000000 * 1000}};
    if (timer_settime(timer, 0, &when, NULL) != 0) _exit(3);
}

#define LOOP(n) _Pragma("omp for schedule(runtime)") for (int i = 0; i < (n); ++i) sink[i] += i;
#define FOUR(n) LOOP(n) LOOP(n + 1) LOOP(n + 2) LOOP(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)

static void tiny_loops(void) {
#pragma omp parallel
    for (long step = 0; step < 1000000000; ++step) {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 16; ++i) sink[i] += i;
#pragma omp for schedule(runtime)
        for (int i = 0; i < 16; ++i) sink[i] -= i;
    }
}

/* In one region, as above: libomp itself hangs if exit() interrupts it as it forks or joins a team. */
static void many_sites(void) {
#pragma omp parallel
    {
        SIXTEEN(16)
        SIXTEEN(300)
        SIXTEEN(2000)
        SIXTEEN(4000)
    }
}

static void memory(void) {
    for (;;) {
        for (size_t size = 16; size < 200000; size *= 2) {
            kept = malloc(size);
            free(kept);
        }
#pragma omp parallel
        { LOOP(64) }
    }
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const int receiver = strcmp(argv[1], "worker") == 0;
    const long delay_us = atol(argv[3]);
    signal(SIGTERM, on_signal);
#pragma omp parallel
    if (omp_get_thread_num() == receiver) arm(delay_us);
    if (strcmp(argv[2], "sites") == 0) many_sites();
    if (strcmp(argv[2], "memory") == 0) memory();
    tiny_loops();
    return 5;
}
