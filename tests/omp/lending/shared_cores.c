/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops until Gimbal has asked the system how long a thread of the team was ready to run and had no core, or for a
 * minute. Prints "looked", or "did not look". Built so that the libraries find this syscall(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

static atomic_int looks;
static double row[20000];

long syscall(long number, ...) {
    static long (*_Atomic real)(long, ...);
    long (*now)(long, ...) = atomic_load(&real);
    if (!now) atomic_store(&real, now = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"));
    long word[6];
    va_list words;
    va_start(words, number);
    for (int i = 0; i < 6; ++i) word[i] = va_arg(words, long);
    va_end(words);
    if (number == SYS_openat && strstr((const char*)word[1], "/schedstat")) atomic_fetch_add(&looks, 1);
    return now(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

int main(void) {
    const time_t begin = time(NULL);
    while (atomic_load(&looks) == 0 && time(NULL) < begin + 60) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 20000; ++i)
            for (int k = 0; k < i % 40; ++k) row[i] = row[i] * 0.9 + 1;
    }
    puts(atomic_load(&looks) ? "looked" : "did not look");
    return 0;
}
