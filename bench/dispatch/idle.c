// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that has nothing for Gimbal to do: parallel regions, barriers, schedule(static) and schedule(dynamic,64)
// loops, and no schedule(runtime). What a preloaded runtime costs it, is the cost of being there.
//
// usage:  idle MIN_EXECUTIONS TIME_MS          (threads come from the environment)
// prints: one JSON line; "ns" is the median time of one execution (all four parts), then the medians of the parts
// exit:   0; 2 on wrong arguments; 3 when a thread cannot be placed; 4 when a loop lost or doubled an iteration
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum { kParts = 4, kMaxExecutions = 20000, kWarmUps = 20, kRepeats = 20, kIterations = 50000 };

static const char* const part_names[kParts] = {"regions", "barriers", "static", "dynamic64"};
static double part_ns[kParts][kMaxExecutions];
static double total_ns[kMaxExecutions];
static long wrong_sums;

static void touch(uint64_t* value) {
    __asm__ volatile("" : "+r"(*value));
}

static void regions(void) {
    for (int k = 0; k < kRepeats; ++k) {
#pragma omp parallel
        {
            uint64_t nothing = 0;
            touch(&nothing);
        }
    }
}

static void barriers(void) {
#pragma omp parallel
    for (int k = 0; k < kRepeats; ++k) {
#pragma omp barrier
    }
}

static void check_sum(uint64_t sum) {
    const uint64_t n = kIterations;
    wrong_sums += sum != (n + 1) * n / 2;
}

static void static_loop(void) {
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < kIterations; ++i) {
        sum += (uint64_t)i + 1;
        touch(&sum);
    }
    check_sum(sum);
}

static void dynamic_loop(void) {
    uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum)
    for (long i = 0; i < kIterations; ++i) {
        sum += (uint64_t)i + 1;
        touch(&sum);
    }
    check_sum(sum);
}

static void execute(long slot) {
    void (*const parts[kParts])(void) = {regions, barriers, static_loop, dynamic_loop};
    const int64_t begin_ns = now_ns();
    int64_t last_ns = begin_ns;
    for (int p = 0; p < kParts; ++p) {
        parts[p]();
        const int64_t end_ns = now_ns();
        part_ns[p][slot] = (double)(end_ns - last_ns);
        last_ns = end_ns;
    }
    total_ns[slot] = (double)(last_ns - begin_ns);
}

int main(int argc, char** argv) {
    const long least = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
    const double limit_ns = argc == 3 ? strtod(argv[2], NULL) * 1e6 : -1.0;
    if (least < 1 || least > kMaxExecutions || limit_ns < 0) {
        fprintf(stderr, "usage: idle MIN_EXECUTIONS TIME_MS\n");
        return 2;
    }
    int threads = 1;
#pragma omp parallel
    {
        bind_thread(omp_get_thread_num());
#pragma omp master
        threads = omp_get_num_threads();
    }
    for (int k = 0; k < kWarmUps; ++k) {
        execute(0);
    }
    double measured_ns = 0;
    long count = 0;
    while (count < kMaxExecutions && (count < least || measured_ns < limit_ns)) {
        execute(count);
        measured_ns += total_ns[count++];
    }
    if (wrong_sums != 0) {
        fprintf(stderr, "idle: wrong sum: some iteration did not run exactly once\n");
        return 4;
    }
    printf("{\"ns\":%.1f,\"executions\":%ld,\"threads\":%d", median(total_ns, count), count, threads);
    for (int p = 0; p < kParts; ++p) {
        printf(",\"%s_ns\":%.1f", part_names[p], median(part_ns[p], count));
    }
    print_runtime();
    printf("}\n");
    return 0;
}
