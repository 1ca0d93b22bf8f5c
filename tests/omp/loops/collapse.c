// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collapsed nests: two and three loops, mixed types, negative and non-unit inner strides, empty inner loops, nowait.
#include "forms.h"

// Columns that make N rows a nest of a few thousand iterations at most.
static long columns_for(long rows) {
    return rows >= 1000 ? 3 : 7;
}

static void two(const Case* run) {
    const int rows = (int)run->n;
    const int columns = (int)columns_for(run->n);
    Tally tally = tally_open(run, "collapse(2)", (long)rows * columns);
#pragma omp parallel for collapse(2) schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) tally_hit(&tally, (long)i * columns + j);
    }
    tally_close(&tally, 1);
}

static void two_strided(const Case* run) {
    const long rows = run->n;
    const long columns = columns_for(run->n);
    Tally tally = tally_open(run, "collapse(2), i += 2, j -= 3", rows * columns);
#pragma omp parallel for collapse(2) schedule(runtime) num_threads(run->threads)
    for (long i = -4; i < 2 * rows - 4; i += 2) {
        for (short j = (short)(3 * columns + 1); j > 1; j -= 3) {
            tally_hit(&tally, (i + 4) / 2 * columns + (3 * columns + 1 - j) / 3);
        }
    }
    tally_close(&tally, 1);
}

static void two_ull(const Case* run) {
    const unsigned long long rows = (unsigned long long)run->n;
    const unsigned columns = (unsigned)columns_for(run->n);
    Tally tally = tally_open(run, "collapse(2) of unsigned long long and unsigned", (long)(rows * columns));
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for collapse(2) schedule(runtime)
        for (unsigned long long i = 0; i < rows; i++) {
            for (unsigned j = 0; j < columns; j++) tally_hit(&tally, (long)(i * columns + j));
        }
#pragma omp for collapse(2) schedule(monotonic : runtime)
        for (unsigned long long i = 0; i < rows; i++) {
            for (unsigned j = 0; j < columns; j++) tally_hit(&tally, (long)(i * columns + j));
        }
    }
    tally_close(&tally, 2);
}

static void three(const Case* run) {
    const int rows = (int)run->n;
    Tally tally = tally_open(run, "collapse(3)", run->n * 2 * 3);
#pragma omp parallel for collapse(3) schedule(runtime) num_threads(run->threads)
    for (int i = 0; i < rows; i++) {
        for (int j = 1; j <= 2; j++) {
            for (int k = 0; k < 3; k++) tally_hit(&tally, ((long)i * 2 + j - 1) * 3 + k);
        }
    }
    tally_close(&tally, 1);
}

static void empty_inner(const Case* run) {
    const int rows = (int)run->n;
    volatile int none = 0;
    const int columns = none;
    Tally nest = tally_open(run, "collapse(2) with an empty inner loop", 0);
    Tally after = tally_open(run, "the loop after an empty nest", run->n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for collapse(2) schedule(runtime) nowait
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) tally_hit(&nest, i);
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < rows; i++) tally_hit(&after, i);
    }
    tally_close(&nest, 1);
    tally_close(&after, 1);
}

static void nowait(const Case* run) {
    const int rows = (int)run->n;
    const int columns = (int)columns_for(run->n);
    Tally first = tally_open(run, "collapse(2) nowait, first", (long)rows * columns);
    Tally second = tally_open(run, "collapse(2) nowait, second", (long)rows * columns);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for collapse(2) schedule(runtime) nowait
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) tally_hit(&first, (long)i * columns + j);
        }
#pragma omp for collapse(2) schedule(runtime) nowait
        for (int j = columns; j > 0; j--) {
            for (long i = 0; i < rows; i++) tally_hit(&second, i * columns + j - 1);
        }
    }
    tally_close(&first, 1);
    tally_close(&second, 1);
}

static void collapse(const Case* run) {
    two(run);
    two_strided(run);
    two_ull(run);
    three(run);
}

static void collapse_nowait(const Case* run) {
    empty_inner(run);
    nowait(run);
}

static const Form kForms[] = {
    {"collapse", collapse, kEachN},
    {"collapse_nowait", collapse_nowait, kEachN},
};
FORM_TABLE(kCollapseForms, kForms);
