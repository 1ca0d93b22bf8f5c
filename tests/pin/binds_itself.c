/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* binds_itself WAY: three threads compute until they are placed. Then the first (WAY "sched", "pthread", "back") or a
   thread that it starts ("helper", "raw-helper", "attribute") binds itself to one processor, computes on for 20 looks,
   and sees whether its mask stays:
   - sched, pthread: to the very processor that it was given, by the one or the other function,
   - back: likewise, and then back to all: it may be placed again,
   - helper, raw-helper, attribute: to the processor that its creator was given, by a function, by a system call of its
     own, by an attribute of pthread_create().
   - new-sched, new-pthread, new-raw: a thread that it starts is bound by it right after pthread_create() to another
     processor than its own, new-same: to its own,
   - child: it makes a child by fork() while its process has one processor; stayed=1 says that the child has all when
     the process has them again,
   - leave: it asks to be left alone while its process has one processor, and waits until it has all again; then
     stayed=1 says that it has them, too.
   Prints stayed=1: the mask was what it set at every look. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gimbal/pin.h"

enum { kMax_s = 60, kLooks = 20, kLook_ms = 50 };

static const char* way;
static cpu_set_t inherited;
static int over;
static int is_bound;
static int stayed = 1;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void turn_ms(double ms) {
    volatile double sink = 0;
    for (const double end = now() + 1e-3 * ms; now() < end;)
        for (int i = 0; i < 10000; ++i) sink = sink + i;
}

static cpu_set_t mine(void) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

static int is(const char* one) {
    return strcmp(way, one) == 0;
}

static void keeps(cpu_set_t wish) {
    for (int look = 0; look < kLooks; ++look) {
        turn_ms(kLook_ms);
        const cpu_set_t seen = mine();
        if (!CPU_EQUAL(&seen, &wish)) stayed = 0;
    }
}

/* The kernel's number of a thread, as it stands in its clock's. */
static pid_t number_of(pthread_t thread) {
    clockid_t clock = 0;
    if (pthread_getcpuclockid(thread, &clock) != 0) exit(8);
    return ~(clock >> 3);
}

static void* bound_by_maker(void* wish) {
    if (gimbal_pin_register) gimbal_pin_register(NULL);
    while (!__atomic_load_n(&is_bound, __ATOMIC_ACQUIRE)) turn_ms(1);
    keeps(*(const cpu_set_t*)wish);
    return NULL;
}

static void start_bound(cpu_set_t given) {
    cpu_set_t wish = given;
    if (!is("new-same")) CPU_XOR(&wish, &inherited, &given);
    pthread_t thread;
    if (pthread_create(&thread, NULL, bound_by_maker, &wish) != 0) exit(8);
    if (is("new-sched")) sched_setaffinity(number_of(thread), sizeof wish, &wish);
    if (is("new-pthread") || is("new-same")) pthread_setaffinity_np(thread, sizeof wish, &wish);
    if (is("new-raw")) syscall(SYS_sched_setaffinity, number_of(thread), sizeof wish, &wish);
    __atomic_store_n(&is_bound, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
}

static void* helper(void* argument) {
    const cpu_set_t wish = *(const cpu_set_t*)argument;
    if (gimbal_pin_register) gimbal_pin_register(NULL);
    if (is("helper")) sched_setaffinity(0, sizeof wish, &wish);
    if (is("raw-helper")) syscall(SYS_sched_setaffinity, 0, sizeof wish, &wish);
    keeps(wish);
    return NULL;
}

static void start_helper(cpu_set_t wish) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (is("attribute")) pthread_attr_setaffinity_np(&attributes, sizeof wish, &wish);
    if (pthread_create(&thread, &attributes, helper, &wish) != 0) exit(8);
    pthread_join(thread, NULL);
}

static cpu_set_t wait_until_placed(void) {
    cpu_set_t mask = mine();
    for (const double end = now() + kMax_s; now() < end && CPU_EQUAL(&mask, &inherited); mask = mine()) turn_ms(1);
    return mask;
}

/* The main thread is not placed, and shows what the control group grants. */
static void wait_for_processors(int count) {
    cpu_set_t mask;
    do {
        turn_ms(10);
        sched_getaffinity(getpid(), sizeof mask, &mask);
    } while (CPU_COUNT(&mask) != count);
    turn_ms(1500); /* the manager looks at the group, too */
}

static void leave(void) {
    wait_for_processors(1);
    gimbal_pin_unregister();
    turn_ms(500);
    wait_for_processors(CPU_COUNT(&inherited));
    const cpu_set_t has = mine();
    const int could_start = system("true") == 0; /* programs are started with the mask from before, too */
    const cpu_set_t after = mine();
    stayed = CPU_EQUAL(&has, &inherited) && could_start && CPU_EQUAL(&after, &inherited);
}

static void make_child(void) {
    wait_for_processors(1);
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        wait_for_processors(CPU_COUNT(&inherited));
        _exit(0);
    }
    wait_for_processors(CPU_COUNT(&inherited));
    for (const double end = now() + 10; now() < end && waitpid(child, &status, WNOHANG) == 0;) turn_ms(10);
    stayed = status == 0;
    if (!stayed) kill(child, SIGKILL);
}

static void* compute(void* acts) {
    if (gimbal_pin_register) gimbal_pin_register(NULL); /* also where the machine is so busy that it hardly runs */
    if (!acts) {
        while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) turn_ms(1);
        return NULL;
    }
    const cpu_set_t given = wait_until_placed();
    if (is("sched")) sched_setaffinity(0, sizeof given, &given);
    if (is("pthread") || is("back")) pthread_setaffinity_np(pthread_self(), sizeof given, &given);
    if (is("back")) {
        sched_setaffinity(0, sizeof inherited, &inherited);
        const cpu_set_t again = wait_until_placed();
        stayed = CPU_COUNT(&again) == 1;
    } else if (is("leave")) {
        leave();
    } else if (is("child")) {
        make_child();
    } else if (strncmp(way, "new-", 4) == 0) {
        start_bound(given);
    } else if (is("sched") || is("pthread")) {
        keeps(given);
    } else {
        start_helper(given);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    return NULL;
}

int main(int count, char** words) {
    pthread_t threads[3];
    way = count > 1 ? words[1] : "sched";
    inherited = mine();
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, compute, i == 0 ? threads : NULL);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    printf("stayed=%d\n", stayed);
    return 6;
}
