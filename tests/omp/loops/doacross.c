// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doacross loops: iterations wait for named earlier ones, in the long and in the unsigned long long form.
#include <stdlib.h>

#include "forms.h"

enum {
    kColumns = 4,
    kChain = 60  // every link is a hand-over between threads, and there may be more threads than cores
};

// The values need no atomics: depend(sink) is what makes an earlier iteration's writes visible.
static void chain(const Case* run) {
    const long n = run->n > 5 * kChain ? 5 * kChain : run->n;
    long* const value = calloc((size_t)n + 1, sizeof *value);
    Tally tally = tally_open(run, "doacross long", n);
#pragma omp parallel for ordered(1) schedule(runtime) num_threads(run->threads)
    for (long i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
        value[i + 1] = value[i] + 1;
#pragma omp ordered depend(source)
        tally_hit(&tally, i);
    }
    if (value[n] != n) case_fail(run, "doacross long: a chain of %ld sums to %ld", n, value[n]);
    tally_close(&tally, 1);
    free(value);
}

static void chain_int_down(const Case* run) {
    const int n = run->n > 5 * kChain ? 5 * kChain : (int)run->n;
    long* const value = calloc((size_t)n + 2, sizeof *value);
    Tally tally = tally_open(run, "doacross int, i--", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for ordered(1) schedule(runtime)
        for (int i = n; i > 0; i--) {
#pragma omp ordered depend(sink : i + 1)
            value[i] = value[i + 1] + 1;
#pragma omp ordered depend(source)
            tally_hit(&tally, n - i);
        }
    }
    if (n > 0 && value[1] != n) case_fail(run, "doacross int, i--: a chain of %d sums to %ld", n, value[1]);
    tally_close(&tally, 1);
    free(value);
}

// Several in one region: the runtime keeps doacross state of its own beside the loop's. The loop does not begin at 0:
// gcc 12 waits for ever for iteration 0 - 1 of an unsigned loop.
static void chain_ull(const Case* run) {
    const unsigned long long n = run->n > kChain ? kChain : (unsigned long long)run->n;
    enum { kLoops = 10 };
    long* const value = calloc(n + 1, sizeof *value);
    Tally tally = tally_open(run, "doacross unsigned long long, 10 loops", (long)n);
#pragma omp parallel num_threads(run->threads)
    {
        for (int loop = 0; loop < kLoops; loop++) {
#pragma omp for ordered(1) schedule(runtime)
            for (unsigned long long i = 5; i < n + 5; i++) {
#pragma omp ordered depend(sink : i - 1)
                value[i - 4] = value[i - 5] + 1;
#pragma omp ordered depend(source)
                tally_hit(&tally, (long)i - 5);
            }
        }
    }
    if (value[n] != (long)n) case_fail(run, "doacross ull: a chain of %llu sums to %ld", n, value[n]);
    tally_close(&tally, kLoops);
    free(value);
}

static void several(const Case* run) {
    const long n = run->n > kChain ? kChain : run->n;
    enum { kLoops = 10 };
    long* const value = calloc((size_t)n + 1, sizeof *value);
    Tally tally = tally_open(run, "doacross long, 10 loops nowait", n);
#pragma omp parallel num_threads(run->threads)
    {
        for (int loop = 0; loop < kLoops; loop++) {
#pragma omp for ordered(1) schedule(runtime) nowait
            for (long i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
                tally_hit(&tally, i);
#pragma omp ordered depend(source)
            }
        }
#pragma omp barrier
#pragma omp for schedule(runtime)
        for (long i = 0; i < n; i++) value[i]++;
    }
    for (long i = 0; i < n; i++) {
        if (value[i] == 1) continue;
        case_fail(run, "the loop after doacross loops: iteration %ld ran %ld times", i, value[i]);
        break;
    }
    tally_close(&tally, kLoops);
    free(value);
}

// A wavefront over two loops.
static void grid(const Case* run) {
    const int rows = run->n > 50 ? 50 : (int)run->n;
    long* const value = calloc((size_t)(rows + 1) * (kColumns + 1), sizeof *value);
    Tally tally = tally_open(run, "doacross of two loops", (long)rows * kColumns);
#pragma omp parallel for ordered(2) schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < kColumns; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            const long above = value[i * (kColumns + 1) + j + 1];
            const long left = value[(i + 1) * (kColumns + 1) + j];
            value[(i + 1) * (kColumns + 1) + j + 1] = (above > left ? above : left) + 1;
#pragma omp ordered depend(source)
            tally_hit(&tally, (long)i * kColumns + j);
        }
    }
    const long corner = value[rows * (kColumns + 1) + kColumns];
    if (rows > 0 && corner != rows + kColumns - 1) case_fail(run, "doacross of two loops: corner is %ld", corner);
    tally_close(&tally, 1);
    free(value);
}

static void doacross(const Case* run) {
    chain(run);
    chain_int_down(run);
    grid(run);
}

// libomp crashes in gcc's doacross loops when the team has one thread, and never releases the state of the unsigned
// long long ones, so that the eighth of a region hangs.
static const Form kForms[] = {
    {"doacross", doacross, kEachN | kGnuTeamOnly},
    {"doacross_several", several, kEachN | kGnuTeamOnly},
    {"doacross_ull", chain_ull, kEachN | kGnuUnrepaired},
};
FORM_TABLE(kDoacrossForms, kForms);
