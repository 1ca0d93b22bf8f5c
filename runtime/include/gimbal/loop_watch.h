/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_LOOP_WATCH_H
#define GIMBAL_LOOP_WATCH_H

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  How fast single threads get through their loops, for those who decide where threads run (pinning/). Only threads
 *  that are watched are counted, at the beginning and at the end of each execution; drawing a chunk costs the same
 *  for everybody. */

typedef struct gimbal_loop_watch gimbal_loop_watch;

/** What a thread did in the loops that Gimbal schedules, since it is watched. Both never decrease.
 *
 *  Iterations of different loops cannot be added, so each counts as the time that one took when its loop was first
 *  seen: done_s / within_s is 1 as long as the thread is as fast as that, whatever loop it is in. Time before the first
 *  chunk, in barriers and outside of loops is in neither. */
typedef struct gimbal_loop_work {
    double done_s;   /**< iterations, each at its loop's first pace [s] */
    double within_s; /**< time in these loops [s] */
} gimbal_loop_work;

/** The calling thread is watched from now on.
 *  @return NULL: there is no memory, or it is watched already  @threads any, not from within a loop
 *  @cost afterwards some 50 ns per execution of a loop, none per chunk */
GIMBAL_API gimbal_loop_watch* gimbal_loop_watch_begin(void);

/** The calling thread is not watched any more. What was counted stays until gimbal_loop_watch_free().
 *  A child of fork() is not watched; of what its parent watched it may read or free nothing. */
GIMBAL_API void gimbal_loop_watch_end(void);

/** @pre the thread has called gimbal_loop_watch_end(), or is gone  @param watch  may be NULL */
GIMBAL_API void gimbal_loop_watch_free(gimbal_loop_watch* watch);

/** What the thread did so far. Of an execution that is under way the chunks drawn are known, but not how far the last
 *  one is: it counts after every eighth chunk and when it ends. A team of one counts when the loop ends.
 *  @threads any, one at a time; the watched thread goes on  @cost some 50 ns */
GIMBAL_API void gimbal_loop_watch_read(gimbal_loop_watch* watch, gimbal_loop_work* work);

#ifdef __cplusplus
}
#endif
#endif
