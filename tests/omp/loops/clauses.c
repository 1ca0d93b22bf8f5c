// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clauses whose result depends on who runs the last iteration, or on every iteration having contributed once.
#include <omp.h>

#include "forms.h"

static void lastprivate(const Case* run) {
    const int n = (int)run->n;
    const int want = n > 0 ? 3 * (n - 1) + 1 : -1;
    int last = -1;
    long counter = -7;
    Tally tally = tally_open(run, "lastprivate", n);
#pragma omp parallel for lastprivate(last) schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < n; i++) {
        tally_hit(&tally, i);
        last = 3 * i + 1;
    }
    if (n > 0 && last != want) case_fail(run, "lastprivate is %d, expected %d", last, want);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for lastprivate(counter) schedule(monotonic : runtime)
        for (counter = n; counter > 0; counter -= 2) tally_hit(&tally, n - counter);
    }
    // The loop variable keeps the value that would end the sequential loop.
    if (n > 0 && counter != (n % 2 ? -1 : 0)) case_fail(run, "lastprivate loop variable is %ld", counter);
    for (long i = 1; i < n; i += 2) tally_hit(&tally, i);
    tally_close(&tally, 2);
}

static void lastprivate_collapse(const Case* run) {
    const unsigned long long rows = (unsigned long long)run->n;
    unsigned long long last = 0;
    Tally tally = tally_open(run, "lastprivate collapse(2)", 2 * run->n);
#pragma omp parallel for collapse(2) lastprivate(last) schedule(runtime) num_threads(run->threads)
    for (unsigned long long i = 0; i < rows; i++) {
        for (int j = 0; j < 2; j++) {
            last = 2 * i + (unsigned long long)j;
            tally_hit(&tally, (long)last);
        }
    }
    if (rows > 0 && last != 2 * rows - 1) case_fail(run, "lastprivate of a nest is %llu", last);
    tally_close(&tally, 1);
}

static void firstprivate(const Case* run) {
    const long n = run->n;
    long seed = 40;
    Tally tally = tally_open(run, "firstprivate", n);
#pragma omp parallel for firstprivate(seed) schedule(runtime) num_threads(run->threads)
    for (long i = 0; i < n; i++) {
        if (seed < 40 || seed > 40 + n) case_fail(run, "firstprivate copy holds %ld", seed);
        seed++;  // private to the thread: counts its own iterations
        tally_hit(&tally, i);
    }
    tally_close(&tally, 1);
    if (seed != 40) case_fail(run, "firstprivate original became %ld", seed);
}

static void reduction(const Case* run) {
    const long n = run->n;
    long sum = 5;
    long most = -1;
    unsigned long long sum_ull = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : most) schedule(runtime) num_threads(run->threads)
    for (long i = 0; i < n; i++) {
        sum += i;
        if (i > most) most = i;
    }
    if (sum != 5 + n * (n - 1) / 2) case_fail(run, "the sum of [0, N) is %ld", sum - 5);
    if (most != n - 1) case_fail(run, "the largest of [0, N) is %ld", most);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for reduction(+ : sum_ull) schedule(runtime) nowait
        for (unsigned long long i = 1; i <= (unsigned long long)n; i++) sum_ull += i;
    }
    if (sum_ull != (unsigned long long)(n * (n + 1) / 2)) case_fail(run, "the sum of [1, N] is %llu", sum_ull);
}

// gcc asks the runtime for memory that the team shares (the last argument of GOMP_loop_start and its like), also in
// loops that the runtime has no other part in, and in sections. clang has no lastprivate(conditional:), and its scans
// need no runtime (clang 14's crash).
#ifndef __clang__
static void shared_memory(const Case* run) {
    const int n = run->n > 1000 ? 1000 : (int)run->n;
    static int running[1000];
    int sum = 0;
#pragma omp parallel for reduction(inscan, + : sum) num_threads(run->threads)
    for (int i = 0; i < n; i++) {
        sum += i + 1;
#pragma omp scan inclusive(sum)
        running[i] = sum;
    }
    for (int i = 0; i < n; i++) {
        if (running[i] != (i + 1) * (i + 2) / 2) case_fail(run, "the running sum of %d is %d", i, running[i]);
    }
    int even = -1;
    unsigned long long third = 0;
    int section = -1;
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for lastprivate(conditional : even) schedule(runtime) nowait
        for (int i = 0; i < n; i++) {
            if (i % 2 == 0) even = i;
        }
#pragma omp for lastprivate(conditional : third) schedule(runtime)
        for (unsigned long long i = 0; i < (unsigned long long)n; i++) {
            if (i % 3 == 0) third = i;
        }
#pragma omp sections lastprivate(conditional : section)
        {
#pragma omp section
            section = 1;
#pragma omp section
            if (n >= 0) section = 2;
#pragma omp section
            if (n < 0) section = 3;
        }
    }
    if (n > 0 && even != (n - 1) / 2 * 2) case_fail(run, "the last even number is %d", even);
    if (n > 0 && third != (unsigned long long)((n - 1) / 3 * 3)) case_fail(run, "the last third is %llu", third);
    if (section != 2) case_fail(run, "the last section that assigns is %d", section);
}
#endif

// gcc opens these loops through GOMP_loop_start, GOMP_loop_ull_start and GOMP_loop_ordered_start.
static void task_reduction(const Case* run) {
    const long n = run->n > 200 ? 200 : run->n;
    long sum = 0;
    unsigned long long sum_ull = 0;
    Tally tally = tally_open(run, "task reduction", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for reduction(task, + : sum) schedule(runtime)
        for (long i = 0; i < n; i++) {
            tally_hit(&tally, i);
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
#pragma omp for reduction(task, + : sum_ull) schedule(runtime)
        for (unsigned long long i = 0; i < (unsigned long long)n; i++) {
            tally_hit(&tally, (long)i);
#pragma omp task in_reduction(+ : sum_ull)
            sum_ull += i;
        }
    }
    if (sum != n * (n - 1) / 2) case_fail(run, "the task sum of [0, %ld) is %ld", n, sum);
    if (sum_ull != (unsigned long long)(n * (n - 1) / 2)) case_fail(run, "the ull task sum is %llu", sum_ull);
    tally_close(&tally, 2);
}

// The same for ordered loops (GOMP_loop_ordered_start and its ull form).
static void task_reduction_ordered(const Case* run) {
    const long n = run->n > 200 ? 200 : run->n;
    long sum = 0;
    unsigned long long sum_ull = 0;
    long next = 0;
    Tally tally = tally_open(run, "ordered task reduction", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for ordered reduction(task, + : sum) schedule(runtime)
        for (long i = 0; i < n; i++) {
            sum += i;
            tally_hit(&tally, i);
#pragma omp ordered
            if (next++ != i) case_fail(run, "ordered region %ld came out of order", i);
        }
#pragma omp for ordered reduction(task, + : sum_ull) schedule(runtime)
        for (unsigned long long i = 0; i < (unsigned long long)n; i++) {
            sum_ull += i;
#pragma omp ordered
            tally_hit(&tally, (long)i);
        }
    }
    if (sum != n * (n - 1) / 2 || sum_ull != (unsigned long long)sum) {
        case_fail(run, "the ordered task sums of [0, %ld) are %ld and %llu", n, sum, sum_ull);
    }
    tally_close(&tally, 2);
}

// And for doacross loops (GOMP_loop_doacross_start and its ull form).
static void task_reduction_doacross(const Case* run) {
    const long n = run->n > 60 ? 60 : run->n;
    long sum = 0;
    unsigned long long sum_ull = 0;
    Tally tally = tally_open(run, "doacross task reduction", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for ordered(1) reduction(task, + : sum) schedule(runtime)
        for (long i = 0; i < n; i++) {
            tally_hit(&tally, i);
#pragma omp ordered depend(sink : i - 1)
            sum += i;
#pragma omp ordered depend(source)
        }
#pragma omp for ordered(1) reduction(task, + : sum_ull) schedule(runtime)
        for (unsigned long long i = 5; i < (unsigned long long)n + 5; i++) {
            tally_hit(&tally, (long)i - 5);
#pragma omp ordered depend(sink : i - 1)
            sum_ull += i - 5;
#pragma omp ordered depend(source)
        }
    }
    if (sum != n * (n - 1) / 2 || sum_ull != (unsigned long long)sum) {
        case_fail(run, "the doacross task sums of [0, %ld) are %ld and %llu", n, sum, sum_ull);
    }
    tally_close(&tally, 2);
}

static void last_value(const Case* run) {
    lastprivate(run);
    lastprivate_collapse(run);
}

static const Form kForms[] = {
    {"lastprivate", last_value, kEachN},
    {"firstprivate", firstprivate, kEachN},
    {"reduction", reduction, kEachN | kBig},
#ifndef __clang__
    {"shared_memory", shared_memory, kEachN},
#endif
    {"task_reduction", task_reduction, kEachN},
    {"task_reduction_ordered", task_reduction_ordered, kEachN},
    {"task_reduction_doacross", task_reduction_doacross, kEachN | kGnuUnrepaired},  // as doacross_ull
};
FORM_TABLE(kClauseForms, kForms);
