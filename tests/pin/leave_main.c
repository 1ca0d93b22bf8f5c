/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* main() ends by pthread_exit() while threads compute for some seconds. The process must end with the last of them, by
   exit(0): the function given to atexit() says how many signals are blocked then. Arguments: threads, seconds, and
   "signal": a thread sends one to the process and waits until somebody has got it; "raw": the threads end by the system
   call, which tells the C library nothing; "openmp": the OpenMP runtime begins first, and so threads of Gimbal's. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gimbal/pin.h"

extern int omp_get_max_threads(void) __attribute__((weak));

static const char* how = "";
static double seconds;
static volatile sig_atomic_t got;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void on_signal(int number) {
    got = number;
}

static void at_end(void) {
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    int count = 0;
    for (int i = 1; i < 32; ++i) count += sigismember(&blocked, i) == 1;
    char line[64];
    const int length = snprintf(line, sizeof line, "atexit=1 blocked=%d\n", count);
    if (write(1, line, (size_t)length) < 0) _exit(9);
}

static void* compute(void* first) {
    if (gimbal_pin_register) gimbal_pin_register(NULL); /* looked at however busy the machine is */
    const double end = now() + seconds;
    volatile double sink = 0;
    while (now() < end)
        for (int i = 0; i < 20000; ++i) sink = sink + i;
    if (first && strcmp(how, "signal") == 0) {
        kill(getpid(), SIGUSR1);
        while (!got) usleep(1000);
        if (write(1, "signal=1\n", 9) < 0) _exit(9);
    }
    if (strcmp(how, "raw") == 0) syscall(SYS_exit, 0);
    return NULL;
}

int main(int argc, char** argv) {
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
    seconds = argc > 2 ? atof(argv[2]) : 1;
    how = argc > 3 ? argv[3] : "";
    atexit(at_end);
    signal(SIGUSR1, on_signal);
    if (strcmp(how, "openmp") == 0 && (!omp_get_max_threads || omp_get_max_threads() < 1)) return 4;
    for (int i = 0; i < threads; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, compute, i == 0 ? &seconds : NULL) != 0) return 3;
        pthread_detach(thread);
    }
    pthread_exit(NULL);
}
