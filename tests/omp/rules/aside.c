/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* aside EXECUTIONS: a loop of a few milliseconds again and again, later iterations longer; every iteration must run
 * exactly once each time. For run_aside.py, which spins on one of its processors meanwhile. */
#include <stdio.h>
#include <stdlib.h>

enum { kIterations = 3000 };

static int ran[kIterations];

static double work(int i) {
    volatile double x = i;
    for (int k = 0; k < 100 + i / 2; ++k) x = x * 0.999 + 1.0;
    return x;
}

int main(int argc, char** argv) {
    const long executions = argc > 1 ? atol(argv[1]) : 100;
    long wrong = 0;
    double sum = 0;
    int last = 0;
    for (long e = 0; e < executions; ++e) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum) lastprivate(last)
        for (int i = 0; i < kIterations; ++i) {
            ++ran[i];
            last = i;
            sum += work(i);
        }
        wrong += last != kIterations - 1;
        for (int i = 0; i < kIterations; ++i) wrong += ran[i] != e + 1;
        if (wrong != 0) break;
    }
    printf("%ld wrong, %s\n", wrong, sum > 0 ? "worked" : "did not work");
    return wrong != 0;
}
