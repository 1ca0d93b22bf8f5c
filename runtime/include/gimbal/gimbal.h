/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_GIMBAL_H
#define GIMBAL_GIMBAL_H

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  What a program may tell Gimbal about its loops. Programs do not link against libgimbal.so: the functions are weak,
 *  and their addresses are NULL when the program runs without Gimbal. So ask first:
 *
 *      if (gimbal_set_static_fraction) gimbal_set_static_fraction("gravity.c:120", 0.8);
 *
 *  A program without this header declares them itself, with __attribute__((weak)). */
#define GIMBAL_WEAK_API GIMBAL_API __attribute__((weak))

/** What went wrong. */
enum {
    GIMBAL_ERROR_INVALID_OPTION = -1, /**< an option has a value that is not allowed */
    GIMBAL_ERROR_UNKNOWN_OPTION = -2, /**< a GIMBAL_ name that does not exist */
    GIMBAL_ERROR_FILE = -3,           /**< a file cannot be read or written */
    GIMBAL_ERROR_UNSUPPORTED = -4,    /**< the machine, the program or the technique lacks what was asked for */
    GIMBAL_ERROR_WRONG_USE = -5,      /**< a call in the wrong order or with wrong arguments */
    GIMBAL_ERROR_MPI = -6             /**< MPI reported an error */
};

/** Set the static fraction of a loop: the part of its iterations that lightweight scheduling hands out without dynamic
 *  dispatch. It counts from the next execution of the loop on (the first time perhaps from the one after that, in a
 *  loop that was run in the same way before), and for techniques that have a static fraction.
 *  @param loop      which: a pattern as in GIMBAL_LOOPS ("file:line", "file", a function, with * and ?), for the loops
 *                   that exist and for those that will; or NULL: the loop that this thread entered last, with the team
 *                   size that it had; after fork() the child has entered none yet
 *  @param fraction  f_s, in [0, 1]; or -1: the schedule or the technique decides again
 *  @return 0; GIMBAL_ERROR_WRONG_USE: no such fraction, an empty pattern, or NULL before the thread's first loop;
 *          GIMBAL_ERROR_UNSUPPORTED: there is no memory, and not all loops that it means have it
 *  @threads any  @cost a lock; with a pattern, milliseconds for each loop whose name was not looked up yet */
GIMBAL_WEAK_API int gimbal_set_static_fraction(const char* loop, double fraction);

/** The static fraction in force for a loop: set by the program, or of its last execution, where a rule or schedule gave
 *  it or the technique found it. If a pattern means several loops, that of the first which has one.
 *  @param loop  as above
 *  @return f_s in [0, 1]; GIMBAL_ERROR_UNSUPPORTED: nothing gives this loop a static fraction, or there is no memory;
 *          GIMBAL_ERROR_WRONG_USE: no such loop
 *  @threads any  @cost as above */
GIMBAL_WEAK_API double gimbal_get_static_fraction(const char* loop);

/** A sentence for the report: "NOTE about: text". It takes the place of an earlier one about the same.
 *  @param about  what it is about, such as the name of a loop, without a colon  @param text  both together at most 200
 *                characters, without line feeds
 *  @return 0; GIMBAL_ERROR_WRONG_USE: empty, too long, or with other characters; GIMBAL_ERROR_UNSUPPORTED: there is
 *          no memory, and an earlier one stays  @threads any  @cost a lock */
GIMBAL_WEAK_API int gimbal_report_note(const char* about, const char* text);

#ifdef __cplusplus
}
#endif
#endif
