// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop in a team of one thread, then main() leaves by pthread_exit(): no thread of the program's is left, and the
// process is to end with status 0, its functions of atexit() called, in a thread that takes signals as this one does.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int blocked(int which) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, which);
}

static void at_end(void) {
    printf("ended %d %d\n", blocked(SIGTERM), blocked(SIGUSR1));
}

int main(void) {
    double sum = 0;
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &own, NULL);
    atexit(at_end);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    printf("sum %g\n", sum);
    pthread_exit(NULL);
}
