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
 *  a daemon, another program. A thread that waits then has a core and no work, and the late thread has work and no
 *  core. A waiting thread that sees this moves the other one to its own core until it has reached the meeting too.
 *
 *  Order of calls for one meeting (a barrier) of a team: the first thread calls gimbal_waiter_reach_first(), all others
 * gimbal_waiter_reach(). Two of them look after the others: the first, before it counts those who have arrived, after
 * everybody; the second, once it has arrived itself, after the first. Both by gimbal_wait_for(). Before a thread waits
 * to be released, gimbal_waiter_arrived(); where it next begins to share work, gimbal_waiter_home().
 *
 *  @source ours; docs/decisions/0016; test: tests/unit/lending */

/** What a thread shows to those who wait for it. Its memory is never given back to the system: a note of it may be read
 *  when the thread has ended, and is then about no thread or another. */
typedef struct gimbal_waiter {
    uint64_t meeting;            /**< the last meeting it has reached; written by the thread itself */
    uint64_t borrowed;           /**< the loan by which it is on another's core; 0: none */
    uint64_t lent;               /**< the loan it gave; 0: none; the thread's own */
    int64_t thread;              /**< its number (gettid) */
    struct gimbal_waiter* first; /**< the host's: whom it looks after once it has arrived */
    uint32_t due;                /**< the host's: it has shared work since the last meeting */
} __attribute__((aligned(64))) gimbal_waiter;

/** By which a thread sees that it may go on. */
typedef struct gimbal_release {
    const volatile uint64_t* word; /**< NULL: nobody holds it up, it is the one that lets others go on */
    uint64_t value;                /**< what the word becomes */
} gimbal_release;

/** Whom a thread waits for at a meeting, as gimbal_wait_for() needs to see it. */
typedef struct gimbal_meeting {
    uint64_t name;                                               /**< as given to gimbal_waiter_reach() */
    uint64_t limit_us;                                           /**< wait no longer than this here [us] */
    uint32_t size;                                               /**< threads waited for [count] */
    gimbal_release release;                                      /**< of the caller */
    const void* host;                                            /**< for the functions */
    gimbal_waiter* (*member)(const void* host, uint32_t number); /**< of [0, size); NULL: none to wait for */
    int (*stop)(const void* host); /**< != 0: the team needs the caller now (tasks, cancellation) */
} gimbal_meeting;

/** Whether core lending is enabled (GIMBAL_LEND). @threads any */
GIMBAL_API int gimbal_lending(void);

/** What the calling thread shows; always the same for one thread. @return NULL: out of memory, it takes no part
 *  @threads any  @cost a system call */
GIMBAL_API gimbal_waiter* gimbal_waiter_mine(void);

/** This thread has reached a meeting: nobody needs to wait for it any more.
 *  @param name  differs from that of the team's last meeting  @threads each its own  @cost one store */
static inline void gimbal_waiter_reach(gimbal_waiter* self, uint64_t name) {
    /* Partner: the acquire load of those who wait. */
    __atomic_store_n(&self->meeting, name, __ATOMIC_RELEASE);
}

/** The same for the first of a team, which lets the others go on and waits for nobody once they are counted: who lends
 *  to it sees that it has come, or it sees the loan in `borrowed` from here on.
 *  @threads each its own  @cost a store and a fence, some 5 ns */
static inline void gimbal_waiter_reach_first(gimbal_waiter* self, uint64_t name) {
    gimbal_waiter_reach(self, name);
    /* Partner: who lends sets `borrowed`, then looks at `meeting`, both sequentially consistent. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/** Wait until all members have reached the meeting, or the caller may go on, or for `limit_us`; lend the core to a
 *  member that is on none. The caller may still have to wait when this returns.
 *  @errors none: where masks may not be changed nothing is lent  @threads any, after it has reached the meeting
 *  @cost while waiting: every 20 us the clocks of at most 32 threads are read twice */
GIMBAL_API void gimbal_wait_for(gimbal_waiter* self, const gimbal_meeting* meeting);

/** The host knows that this thread has come: it leaves a borrowed core (not one that holds up nobody: it has work to
 *  do before gimbal_waiter_home()), and takes its own back.
 *  @threads each its own
 *  @cost two loads if nothing is lent; who has lent its core waits, at most until it may go on, or for 10 ms */
GIMBAL_API void gimbal_waiter_arrived(gimbal_waiter* self, const gimbal_release* release);

/** Leave a borrowed core, if on one. @threads each its own */
GIMBAL_API void gimbal_waiter_home(gimbal_waiter* self);

/** Between these two no loan stands and none begins, so that every thread has the mask that it has without loans: for
 *  placement (pinning/), which reads and changes masks. Calls may overlap; each owes a gimbal_loans_resume().
 *  @return 1; 0: a thread that gives or ends a loan has not done so within 20 ms, because it is off its core; it may
 *          still change a mask
 *  @errors none  @threads any  @cost 64 loads, and three system calls for each loan that stood */
GIMBAL_API int gimbal_loans_pause(void);
GIMBAL_API void gimbal_loans_resume(void);

/** How often a core was lent in this process so far [count]. @threads any */
GIMBAL_API uint64_t gimbal_cores_lent(void);

#ifdef __cplusplus
}
#endif
#endif
