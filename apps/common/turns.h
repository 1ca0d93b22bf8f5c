// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <time.h>

/// Wall time on a clock that only runs forward [ns].
static inline long long turn_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/// Between two time steps: every CAMPAIGN_TURN_STEPS calls the program stops itself and its parent (its process
/// group), and goes on where it was when they are continued (SIGCONT). `gimbal campaign` runs programs in turns by it.
/// Without the variable nothing happens. Then all threads work for nothing for 40 ms: the system may have put them on
/// one core when they were continued, and so moves them apart before the next step, which begins like any other.
/// For one process, not for ranks. C and C++; needs OpenMP.
/// @errors none   @threads the one that runs the steps, no others at work   @cost a branch, but for the stop
static inline void end_of_step(void) {
    static long turn_steps = -1;
    static long steps = 0;
    if (turn_steps < 0) {
        const char* text = getenv("CAMPAIGN_TURN_STEPS");
        turn_steps = text ? strtol(text, NULL, 10) : 0;
    }
    if (turn_steps <= 0 || ++steps % turn_steps != 0) return;
    kill(0, SIGSTOP);
    const long long settled_ns = turn_clock_ns() + 40 * 1000 * 1000;
#pragma omp parallel
    while (turn_clock_ns() < settled_ns) {
    }
}
