/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two loops with schedule(runtime), one with iterations that cost ten times as much, step after step for some seconds.
   Says nothing about itself to anybody. Prints whether every iteration ran once. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void work(int turns) {
    volatile double sink = 0;
    for (int i = 0; i < turns; ++i) sink = sink + i;
}

int main(int argc, char** argv) {
    const double end = omp_get_wtime() + (argc > 1 ? atof(argv[1]) : 2);
    long wrong = 0;
    while (omp_get_wtime() < end) {
        long cheap = 0, dear = 0;
#pragma omp parallel reduction(+ : cheap, dear)
        {
#pragma omp for schedule(runtime)
            for (int i = 0; i < 2000; ++i) {
                work(300);
                ++cheap;
            }
#pragma omp for schedule(runtime)
            for (int i = 0; i < 200; ++i) {
                work(3000);
                ++dear;
            }
        }
        if (cheap != 2000 || dear != 200) ++wrong;
    }
    printf("wrong=%ld\n", wrong);
    return wrong ? 1 : 0;
}
