// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads that wait for the next region do with the cores. usage: crowded SPIN_MS
// Prints "slept" once the primary has slept for 150 ms and the other threads took less than 50 ms of processor time
// meanwhile, "spun" once they took SPIN_MS or more in such a time; status 1: neither in 100 tries.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
    const double spin_ms = argc > 1 ? atof(argv[1]) : 60;
    int slept = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
        long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int i = 0; i < 1000; ++i) sum += i;
        if (sum != 499500) return 2;
        const struct timespec pause = {0, 150000000};
        const double before = processor_ms();
        nanosleep(&pause, NULL);
        const double taken = processor_ms() - before;
        if (taken >= spin_ms) return puts("spun"), 0;
        if (attempt > 0 && taken < 50 && ++slept == 3) return puts("slept"), 0;
    }
    return 1;
}
