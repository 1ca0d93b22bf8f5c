// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two loops of two threads whose losses are known by construction, and a serial part between them.
// usage: losses CALLS
// exit:  0; 2 on wrong arguments
// late():   thread 1 comes 5 ms after thread 0 has begun. uneven(): thread 0 stays 3 ms after thread 1 has left.
// Serial:   4 ms per call. All by the clock, so the losses are at least these however loaded the machine is.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void spin(double time_s) {
    const double begun_s = now_s();
    while (now_s() - begun_s < time_s) {
    }
}

static void await(const int* flag) {
    int seen = 0;
    while (!seen) seen = __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void raise_flag(int* flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static void late(void) {
    int begun = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            await(&begun);
            spin(5e-3);
        }
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 2; ++i)
            if (i == 0) raise_flag(&begun);
    }
}

static void uneven(void) {
    int left = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 2; ++i)
            if (i == 0) {
                await(&left);
                spin(3e-3);
            }
        if (omp_get_thread_num() == 1) raise_flag(&left);
    }
}

int main(int argc, char** argv) {
    const int calls = argc == 2 ? atoi(argv[1]) : 0;
    if (calls < 1) {
        fprintf(stderr, "usage: losses CALLS\n");
        return 2;
    }
    for (int call = 0; call < calls; ++call) {
        late();
        spin(4e-3);
        uneven();
    }
    return 0;
}
