// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose costs rise along the iterations and, from half time on, fall; or one whose iterations all cost the same.
// usage: flip reversed|uniform ITERATIONS STEPS WORK    (WORK: mean length of an iteration's inner loop)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double work(long steps) {
    double x = 1;
    for (long k = 0; k < steps; ++k) x = x * 0.999999 + 1e-6 * (double)k;
    return x;
}

int main(int count, char** arguments) {
    if (count != 5 || (strcmp(arguments[1], "reversed") != 0 && strcmp(arguments[1], "uniform") != 0)) {
        fprintf(stderr, "usage: flip reversed|uniform ITERATIONS STEPS WORK\n");
        return 2;
    }
    const int uniform = strcmp(arguments[1], "uniform") == 0;
    const long n = atol(arguments[2]);
    const long steps = atol(arguments[3]);
    const long mean = atol(arguments[4]);
    double* const result = calloc((size_t)n, sizeof *result);
    for (long step = 0; step < steps; ++step) {
        const int falls = step >= steps / 2;
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < n; ++i) {
            const long place = falls ? n - 1 - i : i;
            result[i] += work(uniform ? mean : 2 * mean * (place + 1) / n);
        }
    }
    double sum = 0;
    for (long i = 0; i < n; ++i) sum += result[i];
    printf("checksum %.6f\n", sum);
    free(result);
    return 0;
}
