// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop in a team of one thread, then main() leaves by pthread_exit(): no thread of the program's is left, and the
// process is to end with status 0, its functions of atexit() called.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void at_end(void) {
    puts("ended");
}

int main(void) {
    double sum = 0;
    atexit(at_end);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    printf("sum %g\n", sum);
    pthread_exit(NULL);
}
