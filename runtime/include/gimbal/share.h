/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_SHARE_H
#define GIMBAL_SHARE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A worker's share of one loop in flight: everything that drawing the next chunk needs, in two cache lines that
 *  belong to this worker alone. Filled by the runtime when the worker enters the loop; used by the host that dispatches
 *  chunks (the patched libomp, the rank level).
 *
 *  A worker hands itself the steps that it owns, `step`, `step + step_inc`, ... below `step_end`, without an atomic.
 *  When it owns none it claims `claim` more from `counter`; NULL means that nothing is shared and the share is over.
 *  Step k covers iterations [starts[k], starts[k + 1]), or, with starts == NULL, [k * chunk, (k + 1) * chunk) cut
 *  at `trip`. */
typedef struct gimbal_share {
    /* Written on every chunk, by the owner only. */
    uint64_t step;       /**< next owned step */
    uint64_t step_end;   /**< end of the owned steps */
    uint64_t chunks;     /**< chunks drawn so far [count] */
    uint64_t iterations; /**< iterations drawn so far [iterations] */

    /* Read only while the loop runs. */
    uint64_t step_inc; /**< distance between owned steps */
    uint64_t claim;    /**< steps to claim at once, >= 1 */
    uint64_t* counter; /**< next unclaimed step, shared by the team; or NULL */
    __extension__ union { /* without a name: C11 has that, C99 as an extension */
        const uint64_t* starts; /**< [steps + 1], or NULL */
        void* tracer;           /**< if traced: what draws for this share; the runtime's business */
    };
    uint64_t steps;  /**< steps in the plan [count] */
    uint64_t chunk;  /**< size of a step if starts == NULL [iterations] */
    uint64_t trip;   /**< N [iterations] */
    uint64_t base;   /**< the program's first iteration value, as 64 bits (two's complement) */
    uint64_t stride; /**< the program's stride, as 64 bits (two's complement) */

    void* execution; /**< the runtime's loop in flight; NULL: this share is not in use */
    void* owner;     /**< whose dispatch buffer this is; the host's business */
    uint32_t worker; /**< this worker's number in the team */
    uint16_t fast;   /**< 1: gimbal_share_next() may be called directly; 0: ask the hook's next(), which may set it */
    uint8_t watched; /**< 1: the host wants to see every chunk and asks next() whatever `fast` says */
    uint8_t traced;  /**< 1: gimbal_share_next() finds nothing; who asks next() then has drawn, and it is recorded */
} gimbal_share;

/** Draw the next chunk: one fetch_add and two loads, or no atomic at all for steps already owned.
 *  @param share  this worker's share; share->fast must be 1, or the caller is the hook's next()
 *  @param first  out: first iteration of the chunk, counted from 0 [iterations]
 *  @param end    out: one past its last iteration [iterations]
 *  @return 1 with a chunk of at least one iteration, 0 when there is nothing left
 *  @errors none (chunk path)  @threads by the owner of the share only  @cost O(1)
 *  @source test: tests/unit/loop/share_test.cpp */
static inline int gimbal_share_next(gimbal_share* share, uint64_t* first, uint64_t* end) {
    uint64_t step = share->step;
    if (step < share->step_end) {
        share->step = step + share->step_inc;
    } else {
        if (!share->counter) return 0;
        /* Relaxed: the counter orders nothing but itself. The plan behind it was published with release when the
         * execution was opened (partner: the acquire load by which the worker found the execution). */
        step = __atomic_fetch_add(share->counter, share->claim, __ATOMIC_RELAXED);
        if (step >= share->steps) {
            share->counter = 0; /* asking again need not touch the shared line */
            return 0;
        }
        if (share->claim > 1) {
            const uint64_t left = share->steps - step;
            share->step = step + 1;
            share->step_end = step + (share->claim < left ? share->claim : left);
        }
    }
    const uint64_t* const starts = share->starts;
    uint64_t begin, stop;
    if (starts) {
        begin = starts[step];
        stop = starts[step + 1];
    } else {
        begin = step * share->chunk;
        stop = step + 1 == share->steps ? share->trip : begin + share->chunk;
    }
    share->chunks += 1;
    share->iterations += stop - begin;
    *first = begin;
    *end = stop;
    return 1;
}

#ifdef __cplusplus
}
#endif
#endif
