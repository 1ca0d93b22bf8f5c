/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that ends in an unusual way while a thread computes, with status 5. Arguments: the way, and seconds until
   then. "handler": exit() in a signal handler that most probably interrupts malloc(); "cancelled": exit() by a thread
   that somebody has cancelled, which counts where it waits next; "creator": the same of the thread that makes the first
   one, and then ends by _exit(); "small-stacks": exit() where threads get stacks of 16 kB if nobody says anything. A
   process that has not ended 15 s later does so with status 4. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "gimbal/pin.h"

enum { STATUS = 5, TOO_LATE = 4, PATIENCE_S = 15 };
enum { BLOCKS = 64, SMALLEST = 1100, RANGE = 0x3fff }; /* larger than what malloc() keeps for a thread [bytes] */

static double seconds;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void on_alarm(int number) {
    (void)number;
    exit(STATUS);
}

static void compute_until(double end) {
    volatile double sink = 0;
    while (now() < end)
        for (int i = 0; i < 20000; ++i) sink = sink + i;
}

static void* compute(void* unused) {
    compute_until(now() + seconds + PATIENCE_S);
    _exit(TOO_LATE);
    return unused;
}

static void allocate(void) {
    static void* blocks[BLOCKS];
    unsigned random = 1;
    for (;;) {
        random = random * 1103515245U + 12345U;
        void** const block = &blocks[(random >> 16) % BLOCKS];
        free(*block);
        *block = malloc(SMALLEST + ((random >> 8) & RANGE));
    }
}

static void* end_cancelled(void* unused) {
    compute_until(now() + seconds);
    pthread_cancel(pthread_self());
    exit(STATUS);
    return unused;
}

static int let_stacks_be_small(void) {
    pthread_attr_t attributes;
    return pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 1 << 14) == 0 &&
           pthread_setattr_default_np(&attributes) == 0;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    seconds = atof(argv[2]);
    pthread_t thread;
    const int small = strcmp(argv[1], "small-stacks") == 0;
    if (small && !let_stacks_be_small()) return 3;
    if (strcmp(argv[1], "creator") == 0) {
        pthread_cancel(pthread_self());
        if (pthread_create(&thread, NULL, compute, NULL) != 0) return 3;
        _exit(STATUS);
    }
    void* (*const routine)(void*) = strcmp(argv[1], "cancelled") == 0 ? end_cancelled : compute;
    if (pthread_create(&thread, NULL, routine, NULL) != 0) return 3;
    if (gimbal_pin_register) gimbal_pin_register(NULL); /* looked at however busy the machine is */
    if (routine == end_cancelled) compute(NULL);
    if (small) {
        compute_until(now() + seconds);
        return STATUS;
    }
    signal(SIGALRM, on_alarm);
    const long us = (long)(1e6 * seconds);
    const struct itimerval once = {.it_value = {us / 1000000, us % 1000000}};
    setitimer(ITIMER_REAL, &once, NULL);
    allocate();
}
