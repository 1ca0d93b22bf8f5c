/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_LOOP_H
#define GIMBAL_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "gimbal/api.h"
#include "gimbal/share.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Loops as a host of worker teams sees them: open, begin, next, end. The C interface behind the schedule hook
 *  (omp_patch/schedule_hook.h); nothing here knows an OpenMP runtime.
 *
 *  Order of calls for one execution of a loop: one worker opens it and makes the pointer known to the team; every
 *  worker begins its share, draws chunks until there are none and ends its share; the last one to end closes the
 *  execution. Several executions may be in flight, of the same loop or of different ones.
 *
 *  A caller looks first whether the loop need not be opened (gimbal/known_loops.h): one that is too short to gain
 *  anything is left to the caller for a while, as P blocks of equal size; a steady one has a standing execution. */

/** One execution of a loop, as the program asks for it. */
typedef struct gimbal_loop_desc {
    const void*
        code; /**< an address in the program that identifies the loop: a return address or the outlined function */
    const char* source; /**< ";file;function;line;column;;" (ident_t) or NULL; "unknown" fields count as NULL. Without
                             `code` the text itself is what the loop is known by, and looked up under a lock */
    uint64_t trip;      /**< N [iterations] */
    uint64_t unit;      /**< the loop's granule, >= 1 [iterations]: chunks begin at multiples of it and, but for the
                             last, have multiples of it (c of schedule(dynamic, c), simd width) */
    uint32_t workers;   /**< P, threads that draw chunks [count], >= 1 */
    uint32_t surplus;   /**< threads besides, workers [P, P + surplus), that draw while another rank lends them a core
                             (gimbal/elastic_team.h) [count] */
    int schedule;       /**< what gimbal_schedule_parse() or gimbal_schedule_set() returned */
    int monotonic;      /**< 1: the loop needs ascending chunks (ordered, doacross, monotonic modifier) */
    int can_leave;      /**< 1: the caller can run the loop by itself, as P blocks of equal size (gimbal_loop_open) */
    int can_stand;      /**< 1: the caller looks for standing executions (gimbal/known_loops.h), and no worker of the
                             team will be missing in a later one */
    uint32_t apart;     /**< executions that a worker of the team can be ahead of another at most [count] */
    const void* team;   /**< what the caller names the team by, for gimbal/known_loops.h; NULL: it has no name */
    const void* region; /**< what it names the code by that the team began with, for all its workers alike */
    struct gimbal_region* part_of; /**< the region it is in; NULL: nothing is learnt about it */
    uint64_t moment; /**< higher with each execution that the team begins, for all its workers alike; the low 32
                          bits count the executions of the region */
} gimbal_loop_desc;

/** Open one execution: find the loop's site, choose a technique, plan.
 *  @return the execution, to be given to every worker's gimbal_loop_begin(); NULL: the caller has to run the loop,
 *          since it is left to the caller from now on, and counted (only if `can_leave`), or since there is no memory;
 *          then chunks begin where gimbal_loop_granule() says
 *  @threads by one worker of the team; publish the pointer with release  @cost O(1) when the plan is cached */
GIMBAL_API void* gimbal_loop_open(const gimbal_loop_desc* desc);

/** What a caller keeps together that has to run a loop by itself, since there was no memory: the granule that an
 *  execution would have had, by the loop's unit and the chunk that was named.
 *  @param desc  unit and schedule count
 *  @return >= 1 [iterations]  @errors none  @threads any; all workers get the same  @cost O(1), no memory */
GIMBAL_API uint64_t gimbal_loop_granule(const gimbal_loop_desc* desc);

/** Whether GIMBAL_LOOPS names any loop: if not, hosts need not ask about single ones. If so, what finds names of loops
 *  is loaded, so that no loop waits for the dynamic loader. @threads any  @cost the first time milliseconds */
GIMBAL_API int gimbal_loop_rules(void);

/** Whether a rule of GIMBAL_LOOPS names this loop, so that it is Gimbal's whatever schedule the program gave it.
 *  @param desc  code, source, workers and unit count; one of code and source must be given. unit 0: the program's own
 *               schedule(dynamic, c) or (guided, c) says what stays together
 *  @return its schedule, an identifier > 0; 0: no rule, or `none`. Where there is no memory to find out and unit > 0,
 *          a schedule whose chunks hold whole chunks of every rule, or 0 if no rule has any  @errors none
 *  @threads any; the first call for a loop takes milliseconds, later ones take no lock  @cost O(1) */
GIMBAL_API int gimbal_loop_named(const gimbal_loop_desc* desc);

/** Libraries may have been unloaded: whatever is loaded in their place has other loops.
 *  @errors none  @threads any that is not inside a callback of dl_iterate_phdr()  @cost some us, a look if no loop
 *  was seen in a library */
GIMBAL_API void gimbal_loops_unloaded(void);

/** Enter an execution as worker `worker` of [0, workers): fills `share` (all fields but base, stride and owner).
 *  @threads each worker once, on its own share  @cost O(1), one timestamp */
GIMBAL_API void gimbal_loop_begin(void* execution, uint32_t worker, gimbal_share* share);

/** Draw the next chunk, whatever the technique; gimbal_share_next() is the shorter way when share->fast is 1.
 *  @return 1 and [*first, *end), or 0 when nothing is left  @threads by the owner of the share */
GIMBAL_API int gimbal_loop_next(gimbal_share* share, uint64_t* first, uint64_t* end);

/** Leave an execution, finished or cancelled. The share may be used again afterwards.
 *  @return 1 for the last worker to leave: the execution is closed and its pointer void; else 0
 *  @threads each worker once  @cost one timestamp and one atomic; the next gimbal_loop_open() learns: at most 2 us */
GIMBAL_API int gimbal_loop_end(gimbal_share* share);

/** The same for a host that counts who has left: it spares the workers one word that all of them write. All workers of
 *  an execution leave in this way, or all by gimbal_loop_end().
 *  @threads each worker once  @cost one timestamp, no atomic; where N is another than last time, one of the first to
 *  leave learns from the execution before: some us */
GIMBAL_API void gimbal_loop_leave(gimbal_share* share);
/** All workers have left by gimbal_loop_leave(): the pointer is void.
 *  @threads one, which sees what all wrote before they left  @cost as gimbal_loop_end() of the last worker */
GIMBAL_API void gimbal_loop_close(void* execution);

/** Give up an execution that some workers will never enter or end (a cancelled region). No worker may use it any more.
 *  @threads by one thread, when the team has dissolved */
GIMBAL_API void gimbal_loop_drop(void* execution);

/** Kinds of omp_sched_t that stand for Gimbal's own schedules: this number and up. */
enum { GIMBAL_SCHEDULE_KIND = 0x200 };

/** What gimbal_schedule_parse() returns for a value that nobody else need complain about. */
enum { GIMBAL_SCHEDULE_REFUSED = -1 };

/** Read the value of OMP_SCHEDULE.
 *  @param text  the value, or NULL if the variable is not set
 *  @return an identifier > 0 if Gimbal schedules runtime loops, 0 if the value is left to the OpenMP runtime;
 *          GIMBAL_SCHEDULE_REFUSED: there is no memory; or wrong, or of Gimbal's while a wrong setting keeps Gimbal
 *          out, which was said when the library was loaded
 *  @errors none */
GIMBAL_API int gimbal_schedule_parse(const char* text);

/** Describe a schedule for omp_get_schedule(): its kind (GIMBAL_SCHEDULE_KIND and up, stable within a process) and
 *  chunk (0: none given). Setting that pair again gives the same schedule. @threads any */
GIMBAL_API int gimbal_schedule_kind(int schedule, int* chunk);

/** The inverse, for omp_set_schedule(). @return an identifier > 0, or 0 if the kind is not one of Gimbal's */
GIMBAL_API int gimbal_schedule_set(int kind, int chunk);

/** Write the canonical spelling of a schedule, at most `size` bytes with the final zero; without memory, no more than
 *  what its technique or selector is called. @errors none  @threads any */
GIMBAL_API void gimbal_schedule_print(int schedule, char* text, size_t size);

/** Room for the longest one, with its zero [bytes]. */
enum { GIMBAL_SCHEDULE_BYTES = 64 };

/** The modifier the user gave: 0 none, 1 monotonic, 2 nonmonotonic. @threads any */
GIMBAL_API int gimbal_schedule_modifier(int schedule);

#ifdef __cplusplus
}
#endif
#endif
