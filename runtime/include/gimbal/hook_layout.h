/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_HOOK_LAYOUT_H
#define GIMBAL_HOOK_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "gimbal/api.h"
#include "gimbal/core_loan.h"
#include "gimbal/known_loops.h"
#include "gimbal/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Whether the two sides of the schedule hook, libomp.so and libgimbal.so, were compiled with the same structures. */

/** What the caller was compiled with: the structures' sizes, and where the two lie that libomp reads in its own code.
 */
static inline uint64_t gimbal_hook_layout_here(void) {
    return (uint64_t)(sizeof(gimbal_loop_desc) ^ sizeof(gimbal_known_table) ^ sizeof(gimbal_left_counts)) |
           (uint64_t)sizeof(gimbal_share) << 10 |
           (uint64_t)offsetof(gimbal_share, execution) << 20 | (uint64_t)offsetof(gimbal_share, fast) << 30 |
           (uint64_t)sizeof(gimbal_waiter) << 40 | (uint64_t)sizeof(gimbal_meeting) << 50;
}

/** What libgimbal.so was compiled with. @threads any */
GIMBAL_API uint64_t gimbal_hook_layout(void);

#ifdef __cplusplus
}
#endif
#endif
