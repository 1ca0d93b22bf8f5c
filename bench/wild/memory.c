// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop costs in memory: loads many copies of kinds/sites.c, runs their loops under libomp's static, then under
// what Gimbal's settings say, and prints what was allocated in between.
// usage: memory LIBRARY COPIES LOOPS STEPS     LOOPS: how many a copy has. MALLOC_ARENA_MAX=1 must be set, so that
// mallinfo2() sees every thread's memory.
#define _GNU_SOURCE
#include <malloc.h>
#include <unistd.h>

#include "../dispatch/measure.h"

extern void omp_set_schedule(int kind, int chunk);
extern void omp_get_schedule(int* kind, int* chunk);
extern int omp_get_max_threads(void);

enum { kMaxCopies = 256, kGimbalRuntime = 0x200 };

static void (*run[kMaxCopies])(long, long);

static void fail(int status, const char* what, const char* which) {
    fprintf(stderr, "memory: %s: %s\n", what, which);
    exit(status);
}

static void load(int number, const char* library) {
    char command[3 * PATH_MAX], copy[] = "/tmp/gimbal-wild-XXXXXX";
    const int file = mkstemp(copy);
    if (file < 0) fail(3, "cannot make a file", copy);
    close(file);
    snprintf(command, sizeof command, "cp '%s' '%s'", library, copy);
    if (system(command) != 0) fail(3, "cannot copy", library);
    void* handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    if (handle == NULL) fail(3, "cannot load", dlerror());
    run[number] = (void (*)(long, long))dlsym(handle, "wild_run");
    if (run[number] == NULL) fail(3, "not a kind of loop", library);
}

static double allocated_bytes(void) {
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static double resident_bytes(void) {
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    if (file != NULL) fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

int main(int argc, char** argv) {
    const int copies = argc == 5 ? atoi(argv[2]) : 0;
    const long loops = argc == 5 ? atol(argv[3]) : 0, steps = argc == 5 ? atol(argv[4]) : 0;
    if (copies < 1 || copies > kMaxCopies || loops < 1 || steps < 1)
        fail(2, "usage", "memory LIBRARY COPIES LOOPS STEPS   (at most 256 copies)");
    for (int k = 0; k < copies; ++k) load(k, argv[1]);
    omp_set_schedule(1, 0);
    for (int k = 0; k < copies; ++k) run[k](0, 1);
    omp_set_schedule(kGimbalRuntime, 0);
    int kind, chunk;
    omp_get_schedule(&kind, &chunk);
    if (kind != kGimbalRuntime) fail(3, "no Gimbal in this process", "LD_PRELOAD its libomp.so");
    run[0](0, steps);  // what Gimbal takes for the process is not a loop's
    const double allocated = allocated_bytes(), resident = resident_bytes();
    for (int k = 1; k < copies; ++k) run[k](0, steps);
    const double sites = (double)(copies - 1) * (double)loops * 1024;
    printf("{\"threads\":%d,\"kb\":%.3f,\"resident_kb\":%.3f", omp_get_max_threads(),
           (allocated_bytes() - allocated) / sites, (resident_bytes() - resident) / sites);
    print_runtime();
    printf("}\n");
    return 0;
}
