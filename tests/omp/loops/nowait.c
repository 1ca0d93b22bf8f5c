// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several loops in flight: threads leave a loop without waiting and find the next one in any state.
#include <omp.h>

#include "forms.h"

enum { kManyLoops = 20 };  // libomp has 7 dispatch buffers: this wraps around more than twice

static void two_arrays(const Case* run) {
    const long n = run->n;
    Tally first = tally_open(run, "first of two nowait loops", n);
    Tally second = tally_open(run, "second of two nowait loops", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < n; i++) tally_hit(&first, i);
#pragma omp for schedule(runtime) nowait
        for (long i = n; i > 0; i--) tally_hit(&second, i - 1);
    }
    tally_close(&first, 1);
    tally_close(&second, 1);
}

static void same_array(const Case* run) {
    const int n = (int)run->n;
    Tally tally = tally_open(run, "two nowait loops over one array", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < n; i++) tally_hit(&tally, i);
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < n; i++) tally_hit(&tally, i);
    }
    tally_close(&tally, 2);
}

// Thread 0 arrives late, so that the others are several loops ahead of it.
static void many(const Case* run) {
    const long n = run->n;
    Tally tally[kManyLoops];
    for (int k = 0; k < kManyLoops; k++) tally[k] = tally_open(run, "20 nowait loops", n);
#pragma omp parallel num_threads(run->threads)
    {
        if (omp_get_thread_num() == 0) spin_for(200e-6);
        for (int k = 0; k < kManyLoops; k++) {
#pragma omp for schedule(runtime) nowait
            for (long i = 0; i < n; i++) tally_hit(&tally[k], i);
        }
    }
    for (int k = 0; k < kManyLoops; k++) tally_close(&tally[k], 1);
}

// Loops of other kinds between the runtime loops, and then lengths that shrink to nothing.
static void mixed(const Case* run) {
    const long n = run->n;
    Tally tally = tally_open(run, "nowait loops of several schedules", n);
    Tally shrinking = tally_open(run, "nowait loops of shrinking length", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < n; i++) tally_hit(&tally, i);
#pragma omp for schedule(dynamic, 2) nowait
        for (unsigned i = 0; i < (unsigned)n; i++) tally_hit(&tally, i);
#pragma omp for schedule(runtime) nowait
        for (unsigned long long i = 0; i < (unsigned long long)n; i++) tally_hit(&tally, (long)i);
#pragma omp for schedule(static) nowait
        for (long i = 0; i < n; i++) tally_hit(&tally, i);
#pragma omp for schedule(guided) nowait
        for (long i = 0; i < n; i++) tally_hit(&tally, i);
        for (long begin = 0; begin < n; begin += (n - begin + 1) / 2) {
#pragma omp for schedule(runtime) nowait
            for (long i = begin; i < n; i++) tally_hit(&shrinking, i - begin);
#pragma omp for schedule(runtime) nowait
            for (long i = begin; i < begin; i++) tally_hit(&shrinking, -1);
        }
    }
    tally_close(&tally, 5);
    // Iteration i of the last loops ran once for each of them that is longer than i.
    for (long begin = 0; begin < n; begin += (n - begin + 1) / 2) {
        for (long i = 0; i < n - begin; i++) shrinking.count[i]--;
    }
    tally_close(&shrinking, 0);
}

static void nowait_two(const Case* run) {
    two_arrays(run);
    same_array(run);
}

static const Form kForms[] = {
    {"nowait_two", nowait_two, kEachN | kBig},
    {"nowait_many", many, kEachN},
    {"nowait_mixed", mixed, kEachN},
};
FORM_TABLE(kNowaitForms, kForms);
