/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded, it stands for a kernel of 2048 processors: masks are wider than the C library's, and narrower buffers are
   refused. Only for those who ask the kernel directly. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kBytes = 2048 / 8 };

long syscall(long number, ...) {
    long word[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; ++i) word[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_sched_getaffinity && word[1] < kBytes) {
        errno = EINVAL;
        return -1;
    }
    long (*next)(long, ...) = 0;
    *(void**)&next = dlsym(RTLD_NEXT, "syscall");
    const long result = next(number, word[0], word[1], word[2], word[3], word[4], word[5]);
    if (number != SYS_sched_getaffinity || result < 0) return result;
    memset((char*)word[2] + result, 0, (size_t)(word[1] - result));
    return kBytes;
}
