// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads that wait for the next region do with the cores. usage: crowded SPIN_MS
// The primary sleeps for 150 ms, up to 100 times. Prints "slept" once the other threads have run, or waited for a core,
// for less than 50 ms meanwhile in three of these times; "spun" once they did for SPIN_MS or more in three; status 1:
// neither.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// How long the threads of the process have not slept, whoever else uses the cores.
static double awake_ms(void) {
    double ms = 0;
    DIR* folder = opendir("/proc/self/task");
    for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[320];
        double ran = 0, waited = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        FILE* file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (file == NULL) continue;
        if (fscanf(file, "%lf %lf", &ran, &waited) == 2) ms += 1e-6 * (ran + waited);
        fclose(file);
    }
    if (folder != NULL) closedir(folder);
    return ms;
}

int main(int argc, char** argv) {
    const double spin_ms = argc > 1 ? atof(argv[1]) : 60;
    int slept = 0, spun = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
        long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int i = 0; i < 1000; ++i) sum += i;
        if (sum != 499500) return 2;
        const struct timespec pause = {0, 150000000};
        const double before = awake_ms();
        nanosleep(&pause, NULL);
        const double taken = awake_ms() - before;
        if (attempt == 0) continue;  // the threads have just been made
        if (taken >= spin_ms && ++spun == 3) return puts("spun"), 0;
        if (taken < 50 && ++slept == 3) return puts("slept"), 0;
    }
    return 1;
}
