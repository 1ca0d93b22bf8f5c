/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sleeps and wakes at odd times. QEMU, where it counts instructions, lets one processor run until the next timer is
   due, and then the next processor. With nothing but regular ticks this can become a pattern in which a busy processor
   gets next to nothing for seconds; timers of random length break it. */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

int main(void) {
    for (unsigned chance = 12345;;) {
        chance = chance * 1664525U + 1013904223U;
        nanosleep(&(struct timespec){.tv_nsec = 250000 + (long)(chance >> 8) % 1500000}, 0);
    }
}
