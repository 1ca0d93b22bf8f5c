/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that runs a loop while it is loaded: the master holds the loader's lock until the team is done. It comes to
 * the loop last, so that a worker is the one that finds out what loop it is. */
#include <omp.h>
#include <unistd.h>

enum { N = 1000 };

int constructor_total;

__attribute__((constructor)) static void run_a_loop(void) {
    int total = 0;
#pragma omp parallel num_threads(4) reduction(+ : total)
    {
        if (omp_get_thread_num() == 0) usleep(100000);
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; ++i) total += 1;
    }
    constructor_total = total;
}
