/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_TRACED_CALLS_H
#define GIMBAL_TRACED_CALLS_H

#include "gimbal/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a thread does at a barrier. */
typedef enum gimbal_barrier_moment {
    GIMBAL_BARRIER_REACHED,     /**< it has come, and waits for others */
    GIMBAL_BARRIER_REGION_ENDS, /**< the same, at the end of a parallel region: a worker waits until the next begins */
    GIMBAL_BARRIER_LEFT         /**< it goes on */
} gimbal_barrier_moment;

/** The functions of gimbal/loop.h as they are where a trace is written: they do the same, and record it. The
 *  caller takes them instead once, so that no chunk asks whether there is a trace. */
typedef struct gimbal_traced_loop_calls {
    void* (*open)(const gimbal_loop_desc* desc);
    void (*begin)(void* execution, uint32_t worker, gimbal_share* share);
    int (*next)(gimbal_share* share, uint64_t* first, uint64_t* end);
    int (*end)(gimbal_share* share);
    void (*leave)(gimbal_share* share);
    void (*close)(void* execution);
    void (*barrier)(gimbal_barrier_moment moment); /**< of this thread's innermost team */
} gimbal_traced_loop_calls;

/** @return NULL: there is no trace, and gimbal/loop.h's own functions are to be called
 *  @threads any; the same answer until the process ends */
GIMBAL_API const gimbal_traced_loop_calls* gimbal_traced_calls(void);

#ifdef __cplusplus
}
#endif
#endif
