// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops with an ordered region: the regions run one at a time and in the order of the iterations.
#include <omp.h>

#include "forms.h"

// `next` is plain memory on purpose: the ordered region itself must make it safe.
static void in_order(const Case* run, const char* variant, long* next, long k) {
    if (*next != k) case_fail(run, "%s: ordered region %ld came when %ld was due", variant, k, *next);
    *next = k + 1;
}

static void up(const Case* run) {
    const int n = (int)run->n;
    long next = 0;
    Tally tally = tally_open(run, "ordered int", n);
#pragma omp parallel for ordered schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < n; i++) {
        tally_hit(&tally, i);
#pragma omp ordered
        in_order(run, "int", &next, i);
    }
    tally_close(&tally, 1);
}

static void down(const Case* run) {
    const long n = run->n;
    long next = 0;
    Tally tally = tally_open(run, "ordered long, i -= 2", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for ordered schedule(runtime)
        for (long i = 2 * n; i > 0; i -= 2) {
            tally_hit(&tally, n - i / 2);
#pragma omp ordered
            in_order(run, "long, i -= 2", &next, n - i / 2);
        }
    }
    tally_close(&tally, 1);
}

// Two ordered loops with nowait, of another type, then an unordered one.
static void in_a_row(const Case* run) {
    const unsigned long long n = (unsigned long long)run->n;
    long next[2] = {0, 0};
    Tally tally = tally_open(run, "ordered unsigned long long", run->n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for ordered schedule(runtime) nowait
        for (unsigned long long i = 0; i < n; i++) {
#pragma omp ordered
            in_order(run, "unsigned long long, first loop", &next[0], (long)i);
            tally_hit(&tally, (long)i);
        }
#pragma omp for ordered schedule(runtime) nowait
        for (unsigned long long i = 0; i < n; i++) {
            tally_hit(&tally, (long)i);
#pragma omp ordered
            in_order(run, "unsigned long long, second loop", &next[1], (long)i);
        }
#pragma omp for schedule(runtime)
        for (unsigned long long i = 0; i < n; i++) tally_hit(&tally, (long)i);
    }
    tally_close(&tally, 3);
}

// An iteration may leave its ordered region out; the next ones must not wait for it.
static void sometimes(const Case* run) {
    const long n = run->n;
    long last = -1;
    Tally tally = tally_open(run, "ordered, two of three", n);
#pragma omp parallel for ordered schedule(monotonic : runtime) num_threads(run->threads)
    for (long i = 0; i < n; i++) {
        if (i % 3 != 1) {
#pragma omp ordered
            {
                if (i <= last) case_fail(run, "ordered region %ld came after %ld", i, last);
                last = i;
            }
        }
        tally_hit(&tally, i);
    }
    tally_close(&tally, 1);
}

static void collapsed(const Case* run) {
    const int rows = (int)run->n / 2;
    long next = 0;
    Tally tally = tally_open(run, "ordered collapse(2)", (long)rows * 2);
#pragma omp parallel for ordered collapse(2) schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 2; j++) {
            tally_hit(&tally, (long)i * 2 + j);
#pragma omp ordered
            in_order(run, "collapse(2)", &next, (long)i * 2 + j);
        }
    }
    tally_close(&tally, 1);
}

static void ordered(const Case* run) {
    up(run);
    down(run);
    sometimes(run);
    collapsed(run);
}

static const Form kForms[] = {
    {"ordered", ordered, kEachN},
    {"ordered_in_a_row", in_a_row, kEachN},
};
FORM_TABLE(kOrderedForms, kForms);
