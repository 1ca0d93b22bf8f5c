/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread waits until it has been placed, and then starts threads in other ways than by pthread_create(): four by
   C11, one by clone(), and a timer whose notifications run in threads of the C library. Prints how many processors
   those had: the C11 threads and the clone at their beginning, the notifications after a while; and how many of the C11
   threads were placed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "gimbal/pin.h"

enum { kPool = 4, kMax_s = 60 };

static int inherited;
static int over;
static int in_timer;
static int in_clone;
static int clone_ends;
static int placed;

static int count(void) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    return CPU_COUNT(&mask);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void turn(void) {
    volatile double sink = 0;
    for (int i = 0; i < 200000; ++i) sink = sink + i;
}

/* Computes until it is placed itself. */
static int pool(void* unused) {
    (void)unused;
    const int processors = count();
    for (const double end = now() + kMax_s; now() < end && count() == inherited;) turn();
    __atomic_fetch_add(&placed, count() < inherited, __ATOMIC_RELAXED);
    return processors;
}

static void notify(union sigval unused) {
    (void)unused;
    __atomic_store_n(&in_timer, count(), __ATOMIC_RELEASE);
}

/* It has no memory of its own for the C library: system calls only. */
static int cloned(void* unused) {
    (void)unused;
    unsigned long words[128] = {0};
    syscall(SYS_sched_getaffinity, 0, sizeof words, words);
    int processors = 0;
    for (int i = 0; i < 128; ++i) processors += __builtin_popcountl(words[i]);
    __atomic_store_n(&in_clone, processors, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&clone_ends, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
    syscall(SYS_exit, 0);
    return 0;
}

static void start_all(void) {
    static char stack[1 << 16];
    thrd_t threads[kPool];
    int least = CPU_SETSIZE;
    for (int i = 0; i < kPool; ++i)
        if (thrd_create(&threads[i], pool, NULL) != thrd_success) exit(8);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) exit(8);
    const struct itimerspec every = {.it_value.tv_nsec = 20000000, .it_interval.tv_nsec = 20000000};
    timer_settime(timer, 0, &every, NULL);
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (clone(cloned, stack + sizeof stack, flags, NULL) < 0) exit(8);
    while (!__atomic_load_n(&in_clone, __ATOMIC_ACQUIRE)) turn();
    __atomic_store_n(&clone_ends, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < kPool; ++i) {
        int processors = 0;
        thrd_join(threads[i], &processors);
        if (processors < least) least = processors;
    }
    for (const double end = now() + kMax_s; __atomic_load_n(&in_timer, __ATOMIC_ACQUIRE) != inherited && now() < end;)
        turn();
    timer_delete(timer);
    printf("c11=%d placed=%d clone=%d timer=%d\n", least, placed, in_clone, in_timer);
}

static void* compute(void* starts) {
    if (gimbal_pin_register) gimbal_pin_register(NULL); /* also where the machine is so busy that it hardly runs */
    const double end = now() + kMax_s;
    while (now() < end && !__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
        turn();
        if (!starts || count() == inherited) continue;
        start_all();
        __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

int main(void) {
    inherited = count();
    pthread_t first, second;
    pthread_create(&first, NULL, compute, &over);
    pthread_create(&second, NULL, compute, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 6;
}
