/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_LEFT_LOOPS_H
#define GIMBAL_LEFT_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "gimbal/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Loops that gain nothing from Gimbal and are left to the caller for a while: who runs teams looks here before it
 * opens a loop. One cache line a loop, no call, no lock: a loop of half a microsecond does not feel it. */

/** How often a loop was left, over all teams and lengths. Teams that run it at the same time may lose a count. */
typedef struct gimbal_left_counts {
    const void* code;    /**< where the loop lies, for the worker that opened it last */
    uint64_t calls;      /**< [count] */
    uint64_t iterations; /**< [iterations] */
    uint64_t look;       /**< from this count of calls on the clock is looked at */
    uint64_t looked;     /**< when it was: gimbal_left_now() */
} gimbal_left_counts;

/** One loop that was left to one team. libgimbal writes it when it leaves the loop, the team's first worker later.
 *
 *  The workers of a team must all decide alike for every execution, but need no word of each other: they go by what all
 *  see alike. That is the region that they are in and the number of the loop in it (compilers may duplicate a loop, so
 *  that workers come from different addresses), and the team's count of executions (`moment`). A worker that opens an
 *  execution writes `from` before the others can get past that execution; `to` is set further ahead than workers can be
 *  apart. */
typedef struct gimbal_left_loop {
    const void* region; /**< where the team began; NULL: no loop */
    const void* team;   /**< whose loop it is */
    uint32_t number;    /**< of the loop in the region */
    uint16_t length;    /**< trip counts of so many bits */
    uint16_t mixed;     /**< 1: other loops have that number, too */
    int64_t schedule;   /**< under which it is left, and in the upper half with how many workers */
    uint64_t from;      /**< later moments than this one, */
    uint64_t to;        /**< up to this one */
    uint64_t until;     /**< when `to` is to be set: gimbal_left_now() */
    gimbal_left_counts* counts;
} gimbal_left_loop;

enum { GIMBAL_LEFT_LOOPS = 1024 };

/** @threads all */
typedef struct gimbal_left_table {
    gimbal_left_loop loops[GIMBAL_LEFT_LOOPS]; /**< each at its own place; who finds it taken is left by open() only */
    uint64_t counter_is_clock;                 /**< 1: time is the processor's time stamp counter; 0: nanoseconds */
} gimbal_left_table;

/** The table of this process. @threads any */
GIMBAL_API gimbal_left_table* gimbal_left_loops(void);

/** The clock of `until`. */
static inline uint64_t gimbal_left_now(const gimbal_left_table* table) {
    struct timespec now;
#if defined(__x86_64__)
    if (table->counter_is_clock) return __builtin_ia32_rdtsc();
#endif
    (void)table;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/** Bits of a trip count. @param trip  > 0 */
static inline uint32_t gimbal_left_length(uint64_t trip) {
    return 64U - (uint32_t)__builtin_clzll(trip);
}

/** A loop's place in the table. The loops of a region lie one after the other, so that who comes to one has the next
 *  one's line fetched. @param desc  its team and region are not NULL, its trip > 0 */
static inline gimbal_left_loop* gimbal_left_place(gimbal_left_table* table, const gimbal_loop_desc* desc) {
    const uint64_t key =
        ((uint64_t)(uintptr_t)desc->region + ((uint64_t)(uintptr_t)desc->team << 20)) * 0x9E3779B97F4A7C15U;
    const uint64_t place = (key >> 40) + (uint32_t)desc->moment + (uint64_t)37 * gimbal_left_length(desc->trip);
    return &table->loops[place % GIMBAL_LEFT_LOOPS];
}

/** A loop's schedule and workers. */
static inline int64_t gimbal_left_schedule(const gimbal_loop_desc* desc) {
    return (int64_t)((uint64_t)desc->workers << 32 | (uint32_t)desc->schedule);
}

/** Whether a place is this loop's. */
static inline int gimbal_left_is(const gimbal_left_loop* left, const gimbal_loop_desc* desc) {
    return left->region == desc->region && left->team == desc->team && left->number == (uint32_t)desc->moment &&
           left->length == gimbal_left_length(desc->trip);
}

/** Whether an execution is left to the team. All its workers get the same answer.
 *  @param desc  as for gimbal_left_place()
 *  @return where the team's first worker counts it (gimbal_left_count); NULL: gimbal_loop_open() it
 *  @threads the workers of the team, each once, at the same moment  @cost a cache line, no call */
static inline gimbal_left_loop* gimbal_left_find(gimbal_left_table* table, const gimbal_loop_desc* desc) {
    gimbal_left_loop* const left = gimbal_left_place(table, desc);
    /* Acquire, in this order: a thread that sees the end that belongs to a new beginning sees that, too; and a thread
       that sees
     * another schedule. Partners: the release stores where a loop is left. */
    if (desc->moment > __atomic_load_n(&left->to, __ATOMIC_ACQUIRE)) return NULL;
    if (__atomic_load_n(&left->schedule, __ATOMIC_ACQUIRE) != gimbal_left_schedule(desc) || desc->unit > 1) return NULL;
    if (__atomic_load_n(&left->from, __ATOMIC_ACQUIRE) >= desc->moment) return NULL;
    return gimbal_left_is(left, desc) ? left : NULL;
}

/** Whether the time that a loop is left for is over. The clock takes a third of what an execution that is left takes
 *  here, so it is looked at in every 16th, as long as eight times as many would still be in time. A loop whose
 *  executions grow all at once is noticed up to 15 of them late.
 *  @threads the team's first worker */
static inline int gimbal_left_is_over(const gimbal_left_table* table, const gimbal_left_loop* left) {
    enum { kSeldom = 16, kInTime = 8 };
    gimbal_left_counts* const counts = left->counts;
    const uint64_t calls = counts->calls;
    if (calls < __atomic_load_n(&counts->look, __ATOMIC_RELAXED)) return 0;
    const uint64_t now = gimbal_left_now(table);
    if (now >= left->until) return 1;
    const uint64_t lapse = now - __atomic_load_n(&counts->looked, __ATOMIC_RELAXED);
    const int often = lapse > (left->until - now) / kInTime;
    __atomic_store_n(&counts->looked, now, __ATOMIC_RELAXED);
    __atomic_store_n(&counts->look, calls + (often ? 1 : kSeldom), __ATOMIC_RELAXED);
    return 0;
}

/** Count an execution that was left, and see to it that this ends in time.
 *  @param apart  how many executions a worker can be ahead of another [count]
 *  @threads the team's first worker  @cost a cache line that nobody else writes, now and then a timestamp */
static inline void gimbal_left_count(gimbal_left_table* table, gimbal_left_loop* left, const gimbal_loop_desc* desc,
                                     uint32_t apart) {
    gimbal_left_counts* const counts = left->counts;
    __atomic_store_n(&counts->calls, counts->calls + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&counts->iterations, counts->iterations + desc->trip, __ATOMIC_RELAXED);
    if (counts->code != (desc->code ? desc->code : desc->source)) left->mixed = 1;
    if ((left->mixed || gimbal_left_is_over(table, left)) && left->to > desc->moment + apart)
        __atomic_store_n(&left->to, desc->moment + apart, __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif
#endif
