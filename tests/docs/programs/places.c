/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of "Troubleshooting" in docs/user-guide.md: processors as OpenMP sees them, and each thread's. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    printf("procs %d max_threads %d places %d\n", omp_get_num_procs(), omp_get_max_threads(), omp_get_num_places());
#pragma omp parallel
#pragma omp critical
    {
        cpu_set_t mask;
        sched_getaffinity(0, sizeof mask, &mask);
        printf("thread %d mask", omp_get_thread_num());
        for (int processor = 0; processor < CPU_SETSIZE; ++processor)
            if (CPU_ISSET(processor, &mask)) printf(" %d", processor);
        printf("\n");
    }
    return 0;
}
