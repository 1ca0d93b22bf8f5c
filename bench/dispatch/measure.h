// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the measured programs share: the clock, the median, one core per thread, and the proof of which OpenMP runtime
// really served them.
// Include it after defining _GNU_SOURCE.
#pragma once
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Declared here, because the two compilers look for omp.h in different packages.
extern int omp_get_thread_num(void);
extern int omp_get_num_threads(void);

static inline int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int compare_doubles(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// Median of values[0..count); sorts them in place. count >= 1.
static inline double median(double* values, long count) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/// Puts the calling thread on core number (thread mod cores) of BENCH_CPUS, a list like "0,1"; unset: does nothing.
/// The program does it itself because OMP_PROC_BIND cannot: with upstream's libomp preloaded into a gcc program both
/// runtimes read it, libgomp binds the main thread first, and libomp then finds a machine of one core.
static inline void bind_thread(int thread) {
    const char* list = getenv("BENCH_CPUS");
    int cpus[CPU_SETSIZE];
    int count = 0;
    while (list != NULL && *list != '\0' && count < CPU_SETSIZE) {
        char* end;
        cpus[count++] = (int)strtol(list, &end, 10);
        list = *end == ',' ? end + 1 : NULL;
    }
    if (count == 0) {
        return;
    }
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpus[thread % count], &mask);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0) {
        fprintf(stderr, "cannot run on core %d of BENCH_CPUS\n", cpus[thread % count]);
        exit(3);
    }
}

static int note_gimbal(struct dl_phdr_info* info, size_t size, void* found) {
    (void)size;
    if (strstr(info->dlpi_name, "libgimbal.so") != NULL) {
        *(int*)found = 1;
    }
    return 0;
}

/// Prints `,"runtime":"<file that serves the OpenMP calls>","gimbal":true|false` into a JSON object being written.
static void print_runtime(void) {
    Dl_info where;
    char path[PATH_MAX] = "unknown";
    if (dladdr(dlsym(RTLD_DEFAULT, "omp_get_num_threads"), &where) != 0 && realpath(where.dli_fname, path) == NULL) {
        snprintf(path, sizeof path, "%s", where.dli_fname);
    }
    int gimbal = 0;
    dl_iterate_phdr(note_gimbal, &gimbal);
    printf(",\"runtime\":\"%s\",\"gimbal\":%s", path, gimbal ? "true" : "false");
}
