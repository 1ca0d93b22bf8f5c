/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_KNOWN_LOOPS_H
#define GIMBAL_KNOWN_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "gimbal/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  What a team does with a loop that it need not open: who runs teams looks here before it opens one. Loops that gain
 *  nothing from Gimbal are left to the caller for a while; steady loops have a standing execution, which all workers of
 *  the team enter again and again. One cache line a loop, no call, no lock: a loop of half a microsecond does not feel
 *  it, and nobody waits for the first to come. */

/** How often a loop was left, over all teams and lengths. Teams that run it at the same time may lose a count. */
typedef struct gimbal_left_counts {
    uint64_t calls;      /**< [count] */
    uint64_t iterations; /**< [iterations] */
    uint64_t look;       /**< from this count of calls on the clock is looked at */
    uint64_t looked;     /**< when it was: gimbal_known_now() */
} gimbal_left_counts;

/** One loop that one team need not open. libgimbal writes it when it leaves the loop, or opens an execution that is to
 *  stand; the team's first worker later.
 *
 *  The workers of a team must all decide alike for every execution, but need no word of each other: they go by what all
 *  see alike. That is the region that they are in and the number of the loop in it (compilers may duplicate a loop, so
 *  that workers come from different addresses), and the team's count of executions (`moment`). A worker that opens an
 *  execution writes `from` before the others can get past that execution; `to` is set further ahead than workers can be
 *  apart.
 *
 *  A standing execution is here by its number in a region. So the team joins between one time and the next, and nobody
 *  is inside: the last worker to leave makes it ready for the next time, or lets it stand no more. */
typedef struct gimbal_known_loop {
    const void* region; /**< where the team began; NULL: no loop */
    const void* team;   /**< whose loop it is */
    uint16_t number;    /**< of the loop in the region (gimbal_known_number) */
    uint16_t code;      /**< of where the loop lies, for the worker that opened it last (gimbal_known_code) */
    uint8_t length;     /**< trip counts of so many bits; 0 at number 0 */
    uint8_t mixed;      /**< 1: other loops have that number, too */
    uint8_t stands;     /**< 1: a standing execution; 0: left to the caller */
    int64_t schedule;   /**< gimbal_known_schedule() */
    uint64_t from;      /**< later moments than this one, */
    uint64_t to;        /**< up to this one */
    union {
        uint64_t until; /**< left: when `to` is to be set: gimbal_known_now() */
        uint64_t trip;  /**< standing: N [iterations]; at number 0: loops after which those of the region come round */
    };
    union {
        gimbal_left_counts* counts; /**< left */
        void* execution;            /**< standing: to be given to gimbal_loop_begin() by every worker, and by the last
                                         one to leave to gimbal_loop_close() */
    };
} gimbal_known_loop;

enum {
    GIMBAL_KNOWN_LOOPS = 1024,
    GIMBAL_KNOWN_MORE = 8192, /**< for loops whose own place another one has */
    GIMBAL_KNOWN_NUMBERS = 64, /**< loops of a region that have a number of their own, */
    GIMBAL_KNOWN_LATER = 512   /**< and that have one until it is known that they come round */
};

/** @threads all */
typedef struct gimbal_known_table {
    gimbal_known_loop loops[GIMBAL_KNOWN_LOOPS]; /**< each at its own place, */
    gimbal_known_loop more[GIMBAL_KNOWN_MORE];   /**< or at another one; who finds both taken is left by open() only */
    uint64_t counter_is_clock;                   /**< 1: time is the processor's time stamp counter; 0: nanoseconds */
} gimbal_known_table;

/** The table of this process. @threads any */
GIMBAL_API gimbal_known_table* gimbal_known_loops(void);

/* Strict C (-std=c11) has no declarations of POSIX's; the C library has the clock all the same. */
#ifdef CLOCK_MONOTONIC
#define GIMBAL_KNOWN_CLOCK CLOCK_MONOTONIC
#else
#define GIMBAL_KNOWN_CLOCK 1 /* Linux's number */
int clock_gettime(int clock, struct timespec* now);
#endif

/** The clock of `until`. */
static inline uint64_t gimbal_known_now(const gimbal_known_table* table) {
    struct timespec now;
#if defined(__x86_64__)
    if (table->counter_is_clock) return __builtin_ia32_rdtsc();
#endif
    (void)table;
    clock_gettime(GIMBAL_KNOWN_CLOCK, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/** Bits of a trip count. @param trip  > 0 */
static inline uint32_t gimbal_known_length(uint64_t trip) {
    return 64U - (uint32_t)__builtin_clzll(trip);
}

/** A loop's own place. The loops of a region lie one after the other, so that who comes to one has the next one's line
 *  fetched. @param desc  its team and region are not NULL @param length  bits of the trip count, 0: of a period */
static inline gimbal_known_loop* gimbal_known_place(gimbal_known_table* table, const gimbal_loop_desc* desc,
                                                    uint32_t number, uint32_t length) {
    const uint64_t key =
        ((uint64_t)(uintptr_t)desc->region + ((uint64_t)(uintptr_t)desc->team << 20)) * 0x9E3779B97F4A7C15U;
    return &table->loops[((key >> 40) + number + (uint64_t)37 * length) % GIMBAL_KNOWN_LOOPS];
}

/** The other place, for as long as the process if its own one was taken. @param desc, length  as above */
static inline gimbal_known_loop* gimbal_known_other_place(gimbal_known_table* table, const gimbal_loop_desc* desc,
                                                          uint32_t number, uint32_t length) {
    const uint64_t key = (uint64_t)(uintptr_t)desc->region + ((uint64_t)(uintptr_t)desc->team << 24) +
                         ((uint64_t)number << 8) + length;
    return &table->more[((key * 0xD6E8FEB86659FD93U) >> 40) % GIMBAL_KNOWN_MORE];
}

/** Whether a place is this loop's; one that a thread is about to write is nobody's. */
static inline int gimbal_known_is(const gimbal_known_loop* known, const gimbal_loop_desc* desc, uint32_t number,
                                  uint32_t length) {
    return __atomic_load_n(&known->region, __ATOMIC_RELAXED) == desc->region &&
           __atomic_load_n(&known->team, __ATOMIC_RELAXED) == desc->team &&
           __atomic_load_n(&known->number, __ATOMIC_RELAXED) == number &&
           __atomic_load_n(&known->length, __ATOMIC_RELAXED) == length;
}

/** Where a loop is known, now or earlier; NULL: nowhere. @threads as gimbal_known_find() */
static inline gimbal_known_loop* gimbal_known_entry(gimbal_known_table* table, const gimbal_loop_desc* desc,
                                                    uint32_t number, uint32_t length) {
    gimbal_known_loop* known = gimbal_known_place(table, desc, number, length);
    /* Acquire whose place it is; partner: the release stores of `to`. */
    if (__atomic_load_n(&known->to, __ATOMIC_ACQUIRE) && gimbal_known_is(known, desc, number, length)) return known;
    /* Free, or its own and closed: then it is at no other place. */
    if (!__atomic_load_n(&known->region, __ATOMIC_RELAXED) || gimbal_known_is(known, desc, number, length)) return NULL;
    known = gimbal_known_other_place(table, desc, number, length);
    return __atomic_load_n(&known->to, __ATOMIC_ACQUIRE) && gimbal_known_is(known, desc, number, length) ? known : NULL;
}

/** A loop's number in its region, as it stands in the table. A region may have hundreds of loops, or run a few of them
 *  thousands of times: these come round, and after the first ones the number is that in the period, once a period is
 *  known (in the place of number 0). Any period is right, since all workers go by the same one from the same moment on,
 *  if it is longer than workers can be apart.
 *  @return 0: none  @threads as gimbal_known_find() */
static inline uint32_t gimbal_known_number(gimbal_known_table* table, const gimbal_loop_desc* desc) {
    const uint32_t number = (uint32_t)desc->moment;
    if (number <= GIMBAL_KNOWN_NUMBERS) return number;
    const gimbal_known_loop* const period = gimbal_known_entry(table, desc, 0, 0);
    if (period && period->from < desc->moment) return GIMBAL_KNOWN_LATER + 1 + number % (uint32_t)period->trip;
    return number <= GIMBAL_KNOWN_LATER ? number : 0;
}

/** A loop's schedule and workers, and whether its chunks must ascend. */
static inline int64_t gimbal_known_schedule(const gimbal_loop_desc* desc) {
    return (int64_t)((uint64_t)(desc->monotonic != 0) << 63 | (uint64_t)desc->workers << 32 | (uint32_t)desc->schedule);
}

/** Where a loop lies, in short. Two loops have the same in one of 65536 cases. */
static inline uint16_t gimbal_known_code(const gimbal_loop_desc* desc) {
    const uint64_t code = (uint64_t)(uintptr_t)(desc->code ? desc->code : desc->source);
    return (uint16_t)(code ^ code >> 16);
}

/** Whether the team need not open an execution. All its workers get the same answer.
 *  @param desc  its team and region are not NULL, its trip > 0
 *  @return a standing execution to enter; or a loop that is left, and where the team's first worker counts it
 *          (gimbal_left_count); NULL: gimbal_loop_open() it
 *  @threads the workers of the team, each once, at the same moment  @cost a cache line, no call */
static inline gimbal_known_loop* gimbal_known_find(gimbal_known_table* table, const gimbal_loop_desc* desc) {
    const uint32_t number = gimbal_known_number(table, desc), length = gimbal_known_length(desc->trip);
    if (number == 0) return NULL;
    gimbal_known_loop* const known = gimbal_known_entry(table, desc, number, length);
    if (!known) return NULL;
    /* Acquire, `from` last: a thread that sees what belongs to a new beginning sees that, too. Partners: the release
     * stores in the other order where a worker that opens a loop writes this. */
    if (desc->moment > __atomic_load_n(&known->to, __ATOMIC_ACQUIRE)) return NULL;
    if (__atomic_load_n(&known->schedule, __ATOMIC_ACQUIRE) != gimbal_known_schedule(desc) || desc->unit > 1)
        return NULL;
    if (__atomic_load_n(&known->stands, __ATOMIC_ACQUIRE) &&
        __atomic_load_n(&known->trip, __ATOMIC_ACQUIRE) != desc->trip)
        return NULL;
    return __atomic_load_n(&known->from, __ATOMIC_ACQUIRE) < desc->moment ? known : NULL;
}

/** The execution to enter at a place that gimbal_known_find() found.
 *  @return NULL: the loop is left to the caller  @threads as gimbal_known_find() */
static inline void* gimbal_known_execution(gimbal_known_loop* known, const gimbal_loop_desc* desc, int first_worker) {
    if (!known->stands) return NULL;
    /* Its last worker to leave looks. */
    if (first_worker && known->code != gimbal_known_code(desc)) known->mixed = 1;
    return known->execution;
}

/** Whether the time that a loop is left for is over. The clock takes a third of what an execution that is left takes
 *  here, so it is looked at in every 16th, as long as eight times as many would still be in time. A loop whose
 *  executions grow all at once is noticed up to 15 of them late.
 *  @threads the team's first worker */
static inline int gimbal_left_is_over(const gimbal_known_table* table, const gimbal_known_loop* left) {
    enum { kSeldom = 16, kInTime = 8 };
    gimbal_left_counts* const counts = left->counts;
    const uint64_t calls = counts->calls;
    if (calls < __atomic_load_n(&counts->look, __ATOMIC_RELAXED)) return 0;
    const uint64_t now = gimbal_known_now(table), looked = __atomic_load_n(&counts->looked, __ATOMIC_RELAXED);
    if (now >= left->until || now < looked) return 1; /* or the counter went back */
    const uint64_t lapse = now - looked;
    const int often = lapse > (left->until - now) / kInTime;
    __atomic_store_n(&counts->looked, now, __ATOMIC_RELAXED);
    __atomic_store_n(&counts->look, calls + (often ? 1 : kSeldom), __ATOMIC_RELAXED);
    return 0;
}

/** Count an execution that was left, and see to it that this ends in time.
 *  @threads the team's first worker  @cost a cache line that nobody else writes, now and then a timestamp */
static inline void gimbal_left_count(gimbal_known_table* table, gimbal_known_loop* left, const gimbal_loop_desc* desc) {
    gimbal_left_counts* const counts = left->counts;
    __atomic_store_n(&counts->calls, counts->calls + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&counts->iterations, counts->iterations + desc->trip, __ATOMIC_RELAXED);
    if (left->code != gimbal_known_code(desc)) left->mixed = 1;
    if ((left->mixed || gimbal_left_is_over(table, left)) && left->to > desc->moment + desc->apart)
        __atomic_store_n(&left->to, desc->moment + desc->apart, __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif
#endif
