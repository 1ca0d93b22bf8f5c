// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worksharing loops that are simd as well: with schedule(simd: runtime) the runtime may round its chunks up.
#include <stdlib.h>

#include "forms.h"

static void close_values(const Case* run, const char* variant, int* value, int times) {
    for (long i = 0; i < run->n; i++) {
        if (value[i] == times) continue;
        case_fail(run, "%s: iteration %ld ran %d times, expected %d", variant, i, value[i], times);
        break;
    }
    free(value);
}

static void rounded(const Case* run) {
    const int n = (int)run->n;
    int* const value = calloc((size_t)n + 1, sizeof *value);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for simd schedule(simd : runtime)
        for (int i = 0; i < n; i++) value[i]++;
#pragma omp for simd schedule(simd : runtime) simdlen(8)
        for (int i = n; i > 0; i--) value[i - 1]++;
    }
    close_values(run, "for simd schedule(simd: runtime)", value, 2);
}

static void plain(const Case* run) {
    const long n = run->n;
    long sum = 0;
    long last = -1;
    int* const value = calloc((size_t)n + 1, sizeof *value);
#pragma omp parallel for simd schedule(runtime) simdlen(4) reduction(+ : sum) lastprivate(last) \
    num_threads(run->threads)
    for (long i = 0; i < n; i++) {
        value[i]++;
        sum += i;
        last = i;
    }
    if (sum != n * (n - 1) / 2) case_fail(run, "parallel for simd: the sum of [0, N) is %ld", sum);
    if (n > 0 && last != n - 1) case_fail(run, "parallel for simd: lastprivate is %ld", last);
    close_values(run, "parallel for simd", value, 1);
}

static void collapsed(const Case* run) {
    const unsigned long long n = (unsigned long long)run->n;
    int* const value = calloc(n + 1, sizeof *value);
#pragma omp parallel for simd collapse(2) schedule(simd, nonmonotonic : runtime) num_threads(run->threads)
    for (unsigned long long i = 0; i < n; i++) {
        for (int j = 0; j < 1; j++) value[i + (unsigned long long)j]++;
    }
    close_values(run, "parallel for simd collapse(2)", value, 1);
}

static void simd(const Case* run) {
    rounded(run);
    plain(run);
    collapsed(run);
}

static const Form kForms[] = {{"simd", simd, kEachN}};
FORM_TABLE(kSimdForms, kForms);
