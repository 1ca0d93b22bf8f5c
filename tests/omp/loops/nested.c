// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops inside loops: an inner team draws chunks while the outer loop is still in flight.
#include <omp.h>

#include "forms.h"

enum { kOuter = 12, kInnerThreads = 2 };

static long inner_trips(const Case* run) {
    return run->n > 100 ? 100 : run->n;
}

static void inner_runtime(const Case* run) {
    const long n = inner_trips(run);
    Tally outer = tally_open(run, "outer loop", kOuter);
    Tally inner = tally_open(run, "inner schedule(runtime) loop", kOuter * n);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < kOuter; i++) {
#pragma omp parallel for schedule(runtime) num_threads(kInnerThreads)
        for (long j = 0; j < n; j++) tally_hit(&inner, i * n + j);
        tally_hit(&outer, i);
    }
    tally_close(&outer, 1);
    tally_close(&inner, 1);
}

static void inner_others(const Case* run) {
    const long n = inner_trips(run);
    Tally outer = tally_open(run, "outer loop around static and dynamic loops", kOuter);
    Tally inner = tally_open(run, "inner static and dynamic loops", kOuter * n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < kOuter; i++) {
#pragma omp parallel num_threads(kInnerThreads)
            {
#pragma omp for schedule(static)
                for (long j = 0; j < n; j++) tally_hit(&inner, i * n + j);
#pragma omp for schedule(dynamic) nowait
                for (long j = 0; j < n; j++) tally_hit(&inner, i * n + j);
#pragma omp for schedule(static, 3) nowait
                for (long j = 0; j < n; j++) tally_hit(&inner, i * n + j);
            }
            tally_hit(&outer, i);
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < kOuter; i++) tally_hit(&outer, i);
    }
    tally_close(&outer, 2);
    tally_close(&inner, 3);
}

// The inner region has one thread or is inactive: its loops run serialized inside a loop in flight.
static void inner_serial(const Case* run) {
    const long n = inner_trips(run);
    Tally outer = tally_open(run, "outer loop around serial regions", kOuter);
    Tally inner = tally_open(run, "inner loop of one thread", kOuter * n);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < kOuter; i++) {
#pragma omp parallel for schedule(runtime) num_threads(1)
        for (long j = 0; j < n; j++) tally_hit(&inner, i * n + j);
#pragma omp parallel if (i < 0) num_threads(run->threads)
        {
#pragma omp for schedule(runtime) nowait
            for (long j = n; j > 0; j--) tally_hit(&inner, i * n + j - 1);
#pragma omp for schedule(runtime)
            for (unsigned long long j = 0; j < (unsigned long long)n; j++) tally_hit(&inner, (long)(i * n + (long)j));
        }
        tally_hit(&outer, i);
    }
    tally_close(&outer, 1);
    tally_close(&inner, 3);
}

// Every iteration of the loop starts the same loop one level deeper: one source loop, several executions in flight.
static void descend(Tally* leaves, int level, int threads, long place) {
    if (level == 0) {
        tally_hit(leaves, place);
        return;
    }
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < 5; i++) descend(leaves, level - 1, 2, place * 5 + i);
}

static void recursion(const Case* run) {
    Tally leaves = tally_open(run, "leaves of a recursion through one loop", 5 * 5 * 5);
    descend(&leaves, 3, run->threads, 0);
    tally_close(&leaves, 1);
}

static const Form kForms[] = {
    {"nested_runtime", inner_runtime, kEachN},
    {"nested_others", inner_others, kEachN},
    {"nested_serial", inner_serial, kEachN},
    {"recursion", recursion, 0},
};
FORM_TABLE(kNestedForms, kForms);
