/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A team that computes for a while, region after region. Prints a sum that does not depend on who computed what, and
   how many threads the team had at least. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 1.5;
    const double end = omp_get_wtime() + seconds;
    long regions = 0;
    int least = 1 << 20;
    long wrong = 0;
    while (omp_get_wtime() < end) {
        long sum = 0;
        int size = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (long i = 0; i < 2000000; ++i) {
            sum += i & 3;
            if (i == 0) size = omp_get_num_threads();
        }
        if (sum != 3000000) ++wrong;
        if (size < least) least = size;
        ++regions;
    }
    printf("wrong=%ld team=%d some=%d\n", wrong, least, regions > 0);
    return wrong ? 1 : 0;
}
