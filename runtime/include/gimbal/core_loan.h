/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_CORE_LOAN_H
#define GIMBAL_CORE_LOAN_H

#include <stdint.h>

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Threads that wait for a team lend their core. Something else may hold the core of a thread that the team waits for:
 *  a daemon, another program. Whoever waits then has a core and no work, and who is waited for has work and no core. A
 *  waiting thread that sees this moves the other one to its own core until it has reached the meeting too.
 *
 *  Order of calls for one meeting (a barrier) of a team: every thread calls gimbal_waiter_reach(); those that may wait
 *  and lend call gimbal_wait_for_team(); then the host's own barrier lets everybody arrive; before a thread waits to be
 *  released, gimbal_waiter_arrived(). Where a thread next begins to share work: gimbal_waiter_home().
 *
 *  @source ours; docs/decisions/0016; test: tests/unit/lending */

/** What a thread shows to those who wait for it; zero at first, one for each thread, never moved. */
typedef struct gimbal_waiter {
    uint64_t meeting;  /**< the last meeting it has reached; written by the thread itself */
    uint64_t borrowed; /**< the loan by which it is on another's core; 0: none */
    uint64_t lent;     /**< the loan it gave; 0: none */
    int64_t thread;    /**< its number (gettid); 0: it has reached no meeting yet */
    uint32_t watched;  /**< 1: somebody looks after the team whose first member this is */
    uint32_t due;      /**< the host's: it has shared work since the last meeting */
} __attribute__((aligned(64))) gimbal_waiter;

/** A team as gimbal_wait_for_team() needs to see it; it must not dissolve while the caller has not arrived. */
typedef struct gimbal_meeting {
    const void* team;
    uint64_t name;                                                 /**< as given to gimbal_waiter_reach() */
    uint64_t limit_us;                                             /**< wait no longer than this here [us] */
    uint32_t size;                                                 /**< P, threads in the team [count] */
    gimbal_waiter* (*member)(const void* team, uint32_t number);   /**< of [0, size) */
    int (*stop)(const void* team); /**< != 0: the team needs the caller now (tasks, cancellation) */
} gimbal_meeting;

/** Whether threads lend: GIMBAL_LEND is on and nobody places threads (GIMBAL_PIN). @threads any */
GIMBAL_API int gimbal_lending(void);

/** This thread has reached a meeting: nobody needs to wait for it any more.
 *  @param name  differs from that of the team's last meeting  @threads each its own  @cost one store */
static inline void gimbal_waiter_reach(gimbal_waiter* self, uint64_t name) {
    /* Partner: the acquire load of those who wait. */
    __atomic_store_n(&self->meeting, name, __ATOMIC_RELEASE);
}

/** Wait until all have reached the meeting, or somebody else looks after that, or for `limit_us`; lend the core to a
 *  thread that is not on one. The caller may still have to wait when this returns.
 *  @errors none: where masks may not be changed nothing is lent  @threads any of the team, after reaching
 *  @cost while waiting: every 20 us two readings of the clocks of at most 32 threads */
GIMBAL_API void gimbal_wait_for_team(gimbal_waiter* self, const gimbal_meeting* meeting);

/** The host knows that this thread has come: it leaves a borrowed core, and takes its own back.
 *  @param go  the word that will become `released` when the thread may go on; NULL: it may, and keeps a borrowed core
 *             until gimbal_waiter_home() or until the lender needs it
 *  @threads each its own  @cost two loads if nothing is lent; otherwise at most 10 ms, which it would have waited */
GIMBAL_API void gimbal_waiter_arrived(gimbal_waiter* self, const volatile uint64_t* go, uint64_t released);

/** Leave a borrowed core, if on one. @threads each its own */
GIMBAL_API void gimbal_waiter_home(gimbal_waiter* self);

/** How often a core was lent in this process so far [count]. @threads any */
GIMBAL_API uint64_t gimbal_cores_lent(void);

#ifdef __cplusplus
}
#endif
#endif
