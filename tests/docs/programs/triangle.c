/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of docs/user-guide.md: iteration i costs i units. */
#include <math.h>
#include <stdio.h>

static double row(int length) {
    double sum = 0;
    for (int j = 1; j < 5 * length; ++j) sum += 1 / sqrt(j);
    return sum / 1e7;
}

int main(void) {
    double total = 0;
    for (int step = 0; step < 20; ++step) {
#pragma omp parallel for schedule(runtime) reduction(+ : total)
        for (int i = 0; i < 1000; ++i) total += row(i);
    }
    printf("total %f\n", total);
    return 0;
}
