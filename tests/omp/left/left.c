/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short loops that Gimbal leaves to libomp's static after a few executions, or that have a standing execution, among
 * loops that it opens: every iteration must run once, on any thread, also where threads run ahead of each other, come
 * from different addresses, are cancelled, or where the loop changes its length, schedule or team. Exit status: 0, or 1
 * and what went wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gimbal/known_loops.h>
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 4000 };
static unsigned char ran[kMost];
static int failures;
static int threads = 2;

static void compare(const char* what, int first, int n, int times, int round) {
    for (int i = 0; i < n; ++i) {
        if (ran[first + i] == times) continue;
        if (failures++ < 5)
            printf("FAIL %s: round %d: iteration %d of %d ran %d times and not %d\n", what, round, i, n, ran[first + i],
                   times);
        break;
    }
}

static void check(const char* what, int n, int times, int round) {
    compare(what, 0, n, times, round);
    memset(ran, 0, sizeof ran);
}

static void note(int i) {
    __atomic_fetch_add(&ran[i], 1, __ATOMIC_RELAXED);
}

static void regions(int rounds) {
    for (int r = 0; r < rounds; ++r) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
        for (int i = 0; i < 100; ++i) note(i);
        check("a region each", 100, 1, r);
    }
}

/* Ordinals within the region, threads up to seven loops apart. */
static void chain_nowait(int rounds) {
    for (int r = 0; r < rounds; ++r) {
#pragma omp parallel num_threads(threads)
        for (int k = 0; k < 20; ++k) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 50 + r % 3; ++i) note(i);
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 9; ++i) note(100 + i);
        }
        check("without barriers", 50, 20, r);
    }
}

/* More loops in one region than have a number of their own; they come round. */
static void long_regions(int rounds) {
    for (int r = 0; r < rounds; ++r) {
        const int every = 1 + r % 3;
#pragma omp parallel num_threads(threads)
        for (int k = 0; k < 120; ++k) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 50; ++i) note(i);
            if (k % every == 0) {
#pragma omp for schedule(runtime) nowait
                for (int i = 0; i < 40; ++i) note(100 + i);
            }
#pragma omp for schedule(runtime)
            for (int i = 0; i < 30; ++i) note(200 + i);
        }
        compare("long regions", 100, 40, 119 / every + 1, r);
        compare("long regions", 200, 30, 120, r);
        check("long regions", 50, 120, r);
    }
}

static void lengths(int rounds) {
    for (int r = 0; r < rounds; ++r) {
        const int n = r % 7 == 0 ? kMost : 1 + (r * 37) % 300;
#pragma omp parallel for schedule(runtime) num_threads(threads)
        for (int i = 0; i < n; ++i) note(i);
        check("changing lengths", n, 1, r);
    }
}

static void schedules(int rounds) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    for (int r = 0; r < rounds; ++r) {
        if (r % 5 == 4)
            omp_set_schedule(omp_sched_dynamic, 3);
        else
            omp_set_schedule(kind, chunk);
#pragma omp parallel for schedule(runtime) num_threads(threads)
        for (int i = 0; i < 200; ++i) note(i);
        check("changing schedules", 200, 1, r);
    }
    omp_set_schedule(kind, chunk);
}

/* What a compiler makes of one loop that it duplicates: a team comes from two addresses, now these, now those. */
#define COPY(name)                                                                       \
    static __attribute__((noinline)) void name(int n) {                                  \
        _Pragma("omp for schedule(runtime) nowait") for (int i = 0; i < n; ++i) note(i); \
    }
COPY(copy_one)
COPY(copy_two)

static void copies(int rounds) {
    for (int r = 0; r < rounds; ++r) {
#pragma omp parallel num_threads(threads)
        {
            for (int k = 0; k < 4; ++k) {
                if ((omp_get_thread_num() + r / 50) % 2)
                    copy_one(120);
                else
                    copy_two(120);
            }
        }
        check("two addresses", 120, 4, r);
    }
}

/* The loop with that number is now the one, now the other. */
static void numbers(int rounds) {
    for (int r = 0; r < rounds; ++r) {
#pragma omp parallel num_threads(threads)
        {
            if (r % 3 == 0) {
#pragma omp for schedule(runtime)
                for (int i = 0; i < 64; ++i) note(1000 + i);
            }
#pragma omp for schedule(runtime)
            for (int i = 0; i < 64; ++i) note(i);
#pragma omp for schedule(runtime)
            for (int i = 0; i < 64; ++i) note(i);
        }
        check("other loops of that number", 64, 2, r);
    }
}

static void teams(int rounds) {
    for (int r = 0; r < rounds; ++r) {
#pragma omp parallel for schedule(runtime) num_threads(1 + r % 5)
        for (int i = 0; i < 90; ++i) note(i);
        check("changing teams", 90, 1, r);
    }
}

static void nested(int rounds) {
    omp_set_max_active_levels(2);
    for (int r = 0; r < rounds; ++r) {
#pragma omp parallel num_threads(threads)
        {
            const int base = 100 * omp_get_thread_num();
#pragma omp parallel for schedule(runtime) num_threads(2)
            for (int i = 0; i < 60; ++i) note(base + i);
#pragma omp for schedule(runtime)
            for (int i = 0; i < 60; ++i) note(i);
        }
        check("nested", 60, 2, r);
    }
    omp_set_max_active_levels(1);
}

/* More than seven times, or a buffer that nobody gives back is not missed. */
static void cancelled(int rounds) {
    if (!omp_get_cancellation()) return;
    for (int r = 0; r < rounds; ++r) {
#pragma omp parallel num_threads(threads)
        for (int k = 0; k < 10; ++k) {
#pragma omp for schedule(runtime)
            for (int i = 0; i < 80; ++i) {
                if (r >= 20 && i == 5) {
#pragma omp cancel for
                }
                note(i);
            }
        }
        memset(ran, 0, sizeof ran);
#pragma omp parallel for schedule(runtime) num_threads(threads)
        for (int i = 0; i < 80; ++i) note(i);
        check("after a cancellation", 80, 1, r);
    }
}

static void last_value(int rounds) {
    for (int r = 0; r < rounds; ++r) {
        int last = -1;
#pragma omp parallel for schedule(runtime) lastprivate(last) num_threads(threads)
        for (int i = 0; i < 77; ++i) last = i;
        if (last != 76 && failures++ < 5) printf("FAIL lastprivate: round %d: %d\n", r, last);
    }
}

/* More iterations than their type counts up to. Compilers add a whole chunk at once; short chunks never end. */
static long lowest = LONG_MIN, highest = LONG_MAX;
static void beyond(int rounds) {
    for (int r = 0; r < rounds; ++r) {
        unsigned long up = 0, down = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : up) num_threads(threads)
        for (long i = lowest; i < highest; ++i) ++up;
#pragma omp parallel for schedule(runtime) reduction(+ : down) num_threads(threads)
        for (long i = highest; i > lowest; --i) ++down;
        if ((up != ULONG_MAX || down != ULONG_MAX) && failures++ < 5)
            printf("FAIL beyond LONG_MAX: round %d: %lu and %lu iterations\n", r, up, down);
    }
}

/* Loops whose last opened execution was to stand. */
static int standing(void) {
    gimbal_known_table* (*const find)(void) =
        (gimbal_known_table * (*)(void)) dlsym(RTLD_DEFAULT, "gimbal_known_loops");
    int count = 0;
    for (int i = 0; find && i < GIMBAL_KNOWN_LOOPS; ++i) count += find()->loops[i].stands;
    return count;
}

int main(int count, char** words) {
    const int rounds = count > 1 ? atoi(words[1]) : 300;
    if (count > 2) threads = atoi(words[2]);
    regions(rounds);
    chain_nowait(rounds);
    long_regions(rounds / 3);
    lengths(rounds);
    schedules(rounds);
    copies(rounds);
    numbers(rounds);
    teams(rounds);
    nested(rounds);
    cancelled(rounds < 60 ? rounds : 60);
    last_value(rounds);
    const char* const schedule = getenv("GIMBAL_SCHEDULE");
    if (schedule && strcmp(schedule, "auto") == 0) beyond(rounds);
    regions(rounds);
    printf("left: %d failures, %d standing\n", failures, standing());
    return failures ? 1 : 0;
}
