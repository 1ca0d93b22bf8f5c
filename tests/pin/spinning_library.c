/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Built as libucs.so, whose namesake belongs to UCX: a thread of its own that spins as long as the process lives. */
#include <pthread.h>
#include <stddef.h>

static void* progress(void* unused) {
    volatile unsigned long turns = 0;
    for (;;) turns = turns + 1;
    return unused;
}

__attribute__((constructor)) static void on_load(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, progress, NULL) == 0) pthread_detach(thread);
}
