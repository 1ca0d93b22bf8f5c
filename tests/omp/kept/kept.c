/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop whose iterations cost more and more, too long to be left alone: kept STEPS [fork]
 * With `fork` a child runs it and the parent does not. Exit status: 0, or 1 if an iteration was lost. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kIterations = 400 };

static int run(int steps) {
    long total = 0;
    for (int step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(runtime) reduction(+ : total)
        for (int i = 0; i < kIterations; ++i) {
            volatile double x = 1;
            for (int k = 0; k < 100 * i; ++k) x = x * 0.5 + 1;
            total += x > 0;
        }
    }
    return total == (long)steps * kIterations ? 0 : 1;
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    if (argc > 2 && strcmp(argv[2], "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) exit(run(steps));
        int status = 0;
        waitpid(child, &status, 0);
        return status == 0 ? 0 : 1;
    }
    return run(steps);
}
