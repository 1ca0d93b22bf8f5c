// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control job of the bench gate: the same fixed arithmetic on every named core at once. Its wall time says whether
// those cores were free at this moment, without trusting any load figure of the system.
//
// usage:  control STEPS CPU [CPU ...]
// prints: one line "WALL_NS CPU_NS": wall time until the slowest core was done, and the largest CPU time of any core.
//         CPU_NS is what WALL_NS would be with free cores, so that a busy machine can be told at the first run.
// exit:   0; 2 on wrong arguments; 3 when a thread cannot be created or placed on its core
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMaxCores = 1024 };

struct worker {
    pthread_t thread;
    int cpu;
    int placed;
    int64_t end_ns;
    int64_t cpu_ns;
    uint64_t result;
};

static pthread_barrier_t start_line;
static long steps;

static int64_t now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Four independent chains keep the multiplier busy in every cycle. One chain would leave it idle most of the time, and
// a neighbour on the other hardware thread of the same core would then go unnoticed.
static uint64_t arithmetic(uint64_t seed) {
    uint64_t a = seed + 1, b = seed + 2, c = seed + 3, d = seed + 4;
    const uint64_t factor = 6364136223846793005u;
    for (long i = 0; i < steps; ++i) {
        a = a * factor + 1;
        b = b * factor + 3;
        c = c * factor + 5;
        d = d * factor + 7;
    }
    return a ^ b ^ c ^ d;
}

static void* work(void* argument) {
    struct worker* self = argument;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(self->cpu, &mask);
    self->placed = pthread_setaffinity_np(pthread_self(), sizeof mask, &mask) == 0;
    pthread_barrier_wait(&start_line);
    const int64_t begin_cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    self->result = arithmetic((uint64_t)self->cpu);
    self->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
    self->end_ns = now_ns(CLOCK_MONOTONIC);
    return NULL;
}

int main(int argc, char** argv) {
    static struct worker workers[kMaxCores];
    const int cores = argc - 2;
    steps = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (steps <= 0 || cores < 1 || cores > kMaxCores) {
        fprintf(stderr, "usage: control STEPS CPU [CPU ...]\n");
        return 2;
    }
    pthread_barrier_init(&start_line, NULL, (unsigned)cores + 1);
    for (int i = 0; i < cores; ++i) {
        workers[i].cpu = atoi(argv[i + 2]);
        if (workers[i].cpu < 0 || workers[i].cpu >= CPU_SETSIZE) {
            fprintf(stderr, "control: no such core: %s\n", argv[i + 2]);
            return 2;
        }
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fprintf(stderr, "control: cannot create a thread\n");
            return 3;
        }
    }
    // The clock starts before anyone is let go, so that a thread which waits for its core counts that wait too.
    const int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
    pthread_barrier_wait(&start_line);
    int64_t wall_ns = 0;
    int64_t cpu_ns = 0;
    uint64_t result = 0;
    for (int i = 0; i < cores; ++i) {
        pthread_join(workers[i].thread, NULL);
        const int64_t ns = workers[i].end_ns - begin_ns;
        wall_ns = ns > wall_ns ? ns : wall_ns;
        cpu_ns = workers[i].cpu_ns > cpu_ns ? workers[i].cpu_ns : cpu_ns;
        result ^= workers[i].result;
        if (!workers[i].placed) {
            fprintf(stderr, "control: cannot run on core %d\n", workers[i].cpu);
            return 3;
        }
    }
    // The result is without meaning, but without a reader the compiler could drop the arithmetic.
    printf(result == 0 ? "%lld %lld \n" : "%lld %lld\n", (long long)wall_ns, (long long)cpu_ns);
    return 0;
}
