/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stranger's program: one runtime loop, twenty times. */
#include <stdio.h>

int main(void) {
    long sum = 0;
    for (int repetition = 0; repetition < 20; ++repetition) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int i = 0; i < 1000; ++i) sum += i;
    }
    printf("%ld\n", sum);
    return sum == 20L * 499500L ? 0 : 1;
}
