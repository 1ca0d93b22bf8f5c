/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_MPI_MPI_H
#define GIMBAL_MPI_MPI_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "gimbal/api.h"
#include "gimbal/gimbal.h"
#include "gimbal/mpi/built_with.h"
#include "gimbal/steal_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Loops over ranks, for C; loop.hpp and steal_loop.hpp say more about what they do:
 *
 *      gimbal_mpi_loop* loop;
 *      int64_t first, end;
 *      int code = gimbal_mpi_begin_loop(MPI_COMM_WORLD, "forces", n, NULL, &loop);
 *      while (code >= 0 && (code = gimbal_mpi_next_chunk(loop, &first, &end)) == 1)
 *          for (int64_t i = first; i < end; ++i) forces(i);
 *      if (code == 0) code = gimbal_mpi_end_loop(&loop);
 *      if (code < 0) fprintf(stderr, "%s\n", gimbal_mpi_error_text());
 *
 *  Functions return a negative code of gimbal.h when they fail: GIMBAL_ERROR_WRONG_USE, _INVALID_OPTION, _MPI. */

/** What went wrong in this thread's last call that returned a negative code: what, and what to do about it.
 *  @return never NULL; valid until the next call that fails in this thread; "" if none did */
GIMBAL_API const char* gimbal_mpi_error_text(void);

/** Answer what other ranks ask, for all loops of this process. For programs that wait or compute for long without
 *  Gimbal's functions while loops are open. Local, never waits. @return 0, or a negative code */
GIMBAL_API int gimbal_mpi_progress(void);

/** One execution of a loop whose iterations every rank can run. */
typedef struct gimbal_mpi_loop gimbal_mpi_loop;

/** How a loop is to run, where the program has a wish. Must be the same on all ranks. Zeroes wish nothing. */
typedef struct gimbal_mpi_loop_options {
    const char* schedule;  /**< "fac2", "ss,16", "runtime", a selector or an agent; NULL: GIMBAL_MPI_SCHEDULE */
    int idempotent;        /**< 1: a chunk may run twice, on two ranks: GIMBAL_MPI_ROBUST may count for this loop */
    int shared_by_threads; /**< 1: several threads of this rank may draw chunks at the same time */
    const double* weights; /**< [P] relative speeds of the ranks, for wf2; NULL: all equal */
    double overhead_s;     /**< h, what drawing a chunk costs, for fsc [s]; <= 0: measured */
    double sigma_s;        /**< standard deviation of an iteration's time, for fsc [s]; <= 0: measured */
} gimbal_mpi_loop_options;

/** Begin an execution. Collective over `comm` when a name is first used on it; local afterwards, and never a barrier.
 *  @param name        the same on all ranks. NULL is an error on this rank alone, for which the others may wait then;
 *                     so are MPI_COMM_NULL, and NULL for `loop`
 *  @param iterations  N >= 0, the same on all ranks [iterations]
 *  @param options     or NULL
 *  @param loop        out: to be ended by gimbal_mpi_end_loop(); NULL after an error
 *  @return 0, or a negative code */
GIMBAL_API int gimbal_mpi_begin_loop(MPI_Comm comm, const char* name, int64_t iterations,
                                     const gimbal_mpi_loop_options* options, gimbal_mpi_loop** loop);

/** The next chunk for this rank: iterations [first, end). Local; may wait for the foreman if the loop has one.
 *  @return 1 with a chunk; 0: nothing is left; or a negative code: GIMBAL_ERROR_WRONG_USE when called again after 0 */
GIMBAL_API int gimbal_mpi_next_chunk(gimbal_mpi_loop* loop, int64_t* first, int64_t* end);

/** Answer other ranks' requests, from within a long chunk. Local, never waits. @return 0, or a negative code */
GIMBAL_API int gimbal_mpi_progress_loop(gimbal_mpi_loop* loop);

/** Whether this rank is the first to have finished a chunk, and so the one whose results count; always 1 unless chunks
 *  are run again (GIMBAL_MPI_ROBUST, `idempotent`). Once for each chunk, before the next is drawn. Local.
 *  @return 1 or 0, or a negative code */
GIMBAL_API int gimbal_mpi_finish_chunk(gimbal_mpi_loop* loop, int64_t first, int64_t end);

/** Leave the loop and set *loop to NULL. Local, not a barrier; what rank 0 may wait for that leaves early is said at
 *  Loop::leave(). Allowed after MPI_Finalize, which has closed the loop.
 *  @return 0, or a negative code; the loop is gone then, too */
GIMBAL_API int gimbal_mpi_end_loop(gimbal_mpi_loop** loop);

/** What runs a loop here: "shared", "foreman" or "hierarchical". @return valid while the loop is */
GIMBAL_API const char* gimbal_mpi_get_transport(const gimbal_mpi_loop* loop);

/** Bytes that a callback hands over; grows as it is appended to. */
typedef struct gimbal_mpi_buffer gimbal_mpi_buffer;

/** @return 0; GIMBAL_ERROR_WRONG_USE: no buffer, or no bytes although there should be some */
GIMBAL_API int gimbal_mpi_append_bytes(gimbal_mpi_buffer* buffer, const void* bytes, size_t count);

/** What a program does with its items. Items of a rank have numbers [0, owned). Every callback gets `user` and returns
 * 0, or another number to give up: this rank serves the others to the end, and gimbal_mpi_run_items() returns that
 *  number. Callbacks must not use Gimbal's functions except gimbal_mpi_append_bytes(). */
typedef struct gimbal_mpi_steal_work {
    void* user;
    /** Run own items [first, first + count). */
    int (*run)(void* user, int64_t first, int64_t count);
    /** Append what another rank needs to run own items [first, first + count). */
    int (*pack)(void* user, int64_t first, int64_t count, gimbal_mpi_buffer* items);
    /** Run items that pack() packed on rank `owner`, and append their results. */
    int (*run_stolen)(void* user, int owner, int64_t first, int64_t count, const void* items, size_t bytes,
                      gimbal_mpi_buffer* results);
    /** Take in the results of own items that another rank ran. NULL: results are not sent. */
    int (*accept)(void* user, int64_t first, int64_t count, const void* results, size_t bytes);
} gimbal_mpi_steal_work;

/** From whom a thief takes (docs/ranks.md). */
enum { GIMBAL_MPI_RULE_CONFIGURED = 0, GIMBAL_MPI_RULE_NEAREST = 1, GIMBAL_MPI_RULE_SEED = 2 };

/** How thieves go about it. Must be the same on all ranks. Zeroes wish nothing. */
typedef struct gimbal_mpi_steal_options {
    int rule;            /**< GIMBAL_MPI_RULE_*; configured: GIMBAL_MPI_STEAL */
    double ratio;        /**< part of what the victim has left, in (0, 1]; 0: GIMBAL_MPI_STEAL_RATIO; -1: the agent
                              chooses; -2: a fair share */
    int64_t run_at_once; /**< items between two looks for thieves [items]; 0: so many as GIMBAL_MPI_POLL_US allows */
} gimbal_mpi_steal_options;

/** What one execution did on this rank (gimbal/steal_record.h). */
typedef gimbal_steal_record gimbal_mpi_steal_record;

/** Run a loop over distributed data: this rank owns items [0, owned), and ranks that run out of own ones steal. Returns
 *  when no rank has items left to steal and all results of own items have arrived. All ranks must call it.
 *  @param name     as for gimbal_mpi_begin_loop()
 *  @param options  or NULL  @param record  out, or NULL
 *  @return 0, a negative code, or what a callback returned */
GIMBAL_API int gimbal_mpi_run_items(MPI_Comm comm, const char* name, int64_t owned, const gimbal_mpi_steal_work* work,
                                    const gimbal_mpi_steal_options* options, gimbal_mpi_steal_record* record);

#ifdef __cplusplus
}
#endif
#endif
