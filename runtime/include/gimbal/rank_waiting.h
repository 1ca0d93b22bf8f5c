/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_RANK_WAITING_H
#define GIMBAL_RANK_WAITING_H

#include <stddef.h>
#include <stdint.h>

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  What mpi_layer/waiting asks of libgimbal.so, and tells it: how long this rank waits in MPI, and where. */

/** Settings of the library that wraps MPI calls. */
typedef struct gimbal_waiting_settings {
    int measure; /**< 1: calls are measured: GIMBAL_MPI_WAITING */
    int elastic; /**< 1: a rank that waits sleeps, so that others can use its cores: GIMBAL_ELASTIC */
    int traced;  /**< 1: calls are to be told to gimbal_rank_waiting_enter() and _leave(), for a trace: GIMBAL_TRACE */
} gimbal_waiting_settings;

/** @param settings  out  @threads any */
GIMBAL_API void gimbal_rank_waiting_settings(gimbal_waiting_settings* settings);

/** One place in the program that waits in MPI. Sums over calls. */
typedef struct gimbal_waiting_path {
    const char* call;      /**< "MPI_Allreduce"; valid until the process ends */
    const char* module;    /**< path of the object that calls; likewise */
    uint64_t offset;       /**< of the call in it [bytes] */
    uint64_t calls;        /**< [count] */
    double time_s;         /**< in the call [s] */
    double waiting_s;      /**< of it, for other ranks [s]; the rest is transfer */
    double predicted_s;    /**< slack to be expected at the next call; 0: not to be trusted [s] */
    uint64_t exact_calls;  /**< of `calls`: whose waiting is known from when the others arrived [count] */
    uint64_t seen_calls;   /**< of `calls`: where the last to arrive is known [count] */
    uint64_t last_calls;   /**< of those: this rank was the last [count] */
    int last_rank;         /**< who was last most often, of MPI_COMM_WORLD; < 0: not known */
    uint64_t by_that_rank; /**< how often [count] */
} gimbal_waiting_path;

/** This rank as a whole. */
typedef struct gimbal_waiting_sums {
    double window_s;  /**< from the end of MPI_Init to now or the begin of MPI_Finalize [s] */
    double mpi_s;     /**< in calls that may wait, on the thread that began MPI [s] */
    double waiting_s; /**< of it, for other ranks [s] */
    double asleep_s;  /**< of it, asleep with the cores lent [s] */
    uint64_t calls;   /**< [count] */
    uint64_t sleeps;  /**< [count] */
} gimbal_waiting_sums;

/** Whether the ranks of this node have more threads than it has processors, as far as this rank knows: a rank that
 *  waits should leave its core to others. Counted are its largest team that has run a loop, and as many threads in the
 *  others.
 *  @return 1: they have; 0 also where the process may not run on all processors
 *  @threads any  @cost two loads; system calls the first time  @source docs/decisions/0055 */
GIMBAL_API int gimbal_rank_is_crowded(void);

/** What this rank is expected to wait in its next collective call: loops before it need not be in time, and techniques
 *  that know slack (usched, vsched) then draw less from shared work.
 *  @param slack_s  [s]; 0: not known, or not to be trusted
 *  @threads the one that calls MPI  @cost a store */
GIMBAL_API void gimbal_rank_waiting_expect(double slack_s);

/** For a trace: the calling thread enters a call of MPI that may wait. @param call  as in gimbal_waiting_path
 *  @threads any  @cost a look-up of the name */
GIMBAL_API void gimbal_rank_waiting_enter(const char* call);

/** It leaves it. @param waiting_ns  of the call, for other ranks [ns]  @threads as above */
GIMBAL_API void gimbal_rank_waiting_leave(uint64_t waiting_ns);

/** Where the figures come from: called when a record is written, which may be while the program runs.
 *  @param sums   out  @param paths  [capacity] out, those with the longest time first; may be NULL if capacity is 0
 *  @return paths written  @threads any, while others measure */
typedef size_t (*gimbal_waiting_source)(gimbal_waiting_sums* sums, gimbal_waiting_path* paths, size_t capacity);

/** @param source  NULL: there are none any more  @threads one */
GIMBAL_API void gimbal_rank_waiting_source(gimbal_waiting_source source);

#ifdef __cplusplus
}
#endif
#endif
