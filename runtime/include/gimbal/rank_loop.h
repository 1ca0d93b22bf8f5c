/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_RANK_LOOP_H
#define GIMBAL_RANK_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "gimbal/api.h"
#include "gimbal/share.h"
#include "gimbal/steal_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Loops whose workers are processes (ranks), as the layer that moves data between them sees them; nothing here knows
 *  MPI. What is learnt about a loop lives in one process, the root. Every execution there begins with
 *  gimbal_rank_decide(). Then either
 *
 *  - the root hands out all chunks: gimbal_rank_prepare() with the root's own memory, one share per worker, and
 *    gimbal_loop_begin(), gimbal_rank_reported(), gimbal_rank_next() on behalf of each. What the threads inside shall
 *    run goes with the chunks (gimbal_rank_within(), gimbal_rank_follow()), what they measured comes back when a rank
 *    leaves (gimbal_rank_costs(), gimbal_rank_costs_arrived()); or
 *  - every process draws for itself from memory that all share: the root's gimbal_rank_packet() tells the others how,
 *    each calls gimbal_rank_prepare() with the packet and the shared place, and draws with gimbal_share_next() or
 *    gimbal_loop_next() as a thread does. What it saw goes back with gimbal_rank_leave(), and the root calls
 *    gimbal_rank_arrived() for every worker.
 *
 *  At last the root calls gimbal_rank_close().
 *
 *  @errors std::bad_alloc, through C, by gimbal_rank_site(), _given(), _execution(), _decide(), _packet(), _prepare(),
 *          _copy(), _arrived(), _describe(), _follow() and _costs(), and by gimbal_steal_report(), _agent(), _choose()
 *          and _learn(); no other function here throws. The caller is C++: the layer of ranks (mpi_layer) lets it pass
 *          to its own interfaces, where guarded() makes an error code of it, or for LB4MPI ends the program. Programs
 *          in C++ get it as it is. A callback of gimbal_progress_set() throws nothing: what goes wrong in it is kept
 *          for the next call (MessageRouter::from_inside_a_loop()). */

/** Settings of the rank level (docs/options.md). */
enum {
    GIMBAL_TRANSPORT_AUTO = 0,
    GIMBAL_TRANSPORT_SHARED = 1,
    GIMBAL_TRANSPORT_FOREMAN = 2,
    GIMBAL_TRANSPORT_HIERARCHICAL = 3
};

/** From whom idle ranks steal: the values of GIMBAL_MPI_STEAL (docs/options.md). */
enum { GIMBAL_STEAL_NEAREST = 0, GIMBAL_STEAL_SEED = 1 };

/** What MPI_RL_OPTION or LB4MPI_RL_OPTION asks for: nothing (not set, wrong, `none`), an agent that chooses techniques
 * or chunks, the agent for steal ratios. */
enum { GIMBAL_RANK_AGENT_NONE = 0, GIMBAL_RANK_AGENT_CHOOSES = 1, GIMBAL_RANK_AGENT_STEALS = 2 };

typedef struct gimbal_rank_settings {
    int transport;        /**< GIMBAL_TRANSPORT_*: GIMBAL_MPI_TRANSPORT */
    int schedule;         /**< identifier > 0: GIMBAL_MPI_SCHEDULE */
    int schedule_given;   /**< 1: GIMBAL_MPI_SCHEDULE is set, in the environment, a file or otherwise */
    int robust;           /**< 1: unfinished chunks are run again by idle ranks: GIMBAL_MPI_ROBUST */
    int steal_rule;       /**< GIMBAL_STEAL_*: GIMBAL_MPI_STEAL */
    double steal_ratio;   /**< part of what a victim has left that a thief takes, in (0, 1]; 0: a fair share; < 0: the
                               agent chooses: GIMBAL_MPI_STEAL_RATIO */
    int ratio_given;      /**< 1: GIMBAL_MPI_STEAL_RATIO is set, likewise */
    int agent;            /**< GIMBAL_RANK_AGENT_*: the seed's switch, MPI_RL_OPTION */
    uint32_t poll_us;     /**< how long a request may wait for a computing rank [us]: GIMBAL_MPI_POLL_US */
    uint32_t node_ranks;  /**< ranks per node to be pretended; 0: as it is: GIMBAL_MPI_NODE_RANKS */
    uint32_t steal_bytes; /**< from which on a message of items or results is full: GIMBAL_MPI_STEAL_BYTES */
    uint64_t seed;        /**< GIMBAL_SEED */
} gimbal_rank_settings;

/** @threads any */
GIMBAL_API void gimbal_rank_settings_get(gimbal_rank_settings* settings);

/** Read a schedule as a user writes it: a technique, a selector, an agent, or `runtime`.
 *  @param message  [size] out: what is wrong and what is allowed, cut to size, when 0 is returned; may be NULL if size
 *                  is 0
 *  @return an identifier > 0, or 0  @threads any */
GIMBAL_API int gimbal_rank_schedule(const char* text, char* message, size_t size);

/** Say a sentence once, on standard error of rank 0 and in the report; without memory, nowhere.
 *  @return 1: standard error has not got it, since this is another rank and says it for the first time; else 0
 *  @errors none  @threads any */
GIMBAL_API int gimbal_rank_warn(const char* text);

/** What drawing a chunk costs a rank by messages, for predictions and for the least chunk worth a draw; until the first
 *  call it is what a draw in memory costs.
 *  @param seconds  while all draw, the mean over all chunks, also those that another draw brought, > 0 [s]
 *  @param held_s   part of it for which the root has no time for others; 0: not known [s]  @threads any */
GIMBAL_API void gimbal_rank_draw_cost(double seconds, double held_s);

/** The site of a loop over ranks in this process.
 *  @param name  of the loop; is copied  @param ranks  P [count], >= 1
 *  @return never NULL; valid until the process ends; the same for the same name and P  @threads any */
GIMBAL_API void* gimbal_rank_site(const char* name, uint32_t ranks);

/** Root: what the program knows of a loop, instead of what is measured; from the next gimbal_rank_decide() on.
 *  @param weights     [ranks] relative speeds, for wf2; NULL: all equal
 *  @param overhead_s  h of fsc [s]; < 0: measured  @param sigma_s  sigma of fsc [s]; < 0: measured  @threads any */
GIMBAL_API void gimbal_rank_given(void* site, const double* weights, uint32_t ranks, double overhead_s, double sigma_s);

/** Memory that all processes of one execution share: the counter of chunks and the workers' measured times.
 *  @return bytes, a multiple of 128 */
GIMBAL_API size_t gimbal_rank_place_bytes(uint32_t ranks);
/** Make such memory, zeroed and 128-byte aligned, ready for its first execution. @threads one, before all others */
GIMBAL_API void gimbal_rank_place_make(void* place, uint32_t ranks);
/** Make it ready for another execution. @threads one, when all have left the last one and before anyone prepares */
GIMBAL_API void gimbal_rank_place_reset(void* place);

/** Nobody draws a chunk from it any more that goes by the counter; steps that a worker owns it still gets.
 *  @threads any, until it is reset */
GIMBAL_API void gimbal_rank_place_end(void* place);

/** An execution object of this process, to be prepared. @return never NULL */
GIMBAL_API void* gimbal_rank_execution(void);
GIMBAL_API void gimbal_rank_execution_free(void* execution);

/** Root: choose for one execution of N iterations. @param schedule  identifier > 0
 *  @return an execution object that ends with gimbal_rank_close() or gimbal_rank_drop(), and that can be drawn from as
 *          it is when the root hands out all chunks
 *  @errors std::bad_alloc: loops over ranks need memory
 *  @threads one at a time for one site  @cost as gimbal_loop_open() */
GIMBAL_API void* gimbal_rank_decide(void* site, uint64_t trip, int schedule);

/** Root: what the others need to know of a decision.
 *  @param packet     [capacity] out  @param capacity  >= 1024 [bytes]
 *  @param most_steps  0: any plan will do; else the plan must go by steps, so many at most (gimbal_rank_steps()), and
 *                    fac2 stands in for techniques that do not
 *  @return bytes used. A plan that is too large is made anew with larger chunks until it fits. */
GIMBAL_API size_t gimbal_rank_packet(void* execution, void* packet, size_t capacity, uint64_t most_steps);

/** Make an execution object ready to be drawn from, in every process alike.
 *  @param packet  of the root's decision; NULL: as it was prepared last, or as it was copied from another
 *  @param trip    N [iterations]. Where the packet is about another N, the technique plans anew from N, P and its chunk
 *                 alone, in every process of one kind of machine alike.
 *  @param most_steps  as in gimbal_rank_packet(); a plan that has more, or does not go by steps, is made anew likewise;
 *                    unless it is 0 each draw is one step
 *  @param place   gimbal_rank_place_bytes() of memory that all share
 *  @threads the owner of the object */
GIMBAL_API void gimbal_rank_prepare(void* execution, const void* packet, uint64_t trip, uint64_t most_steps,
                                    void* place);

/** Have `to` run as `from` does. @threads the owner of both */
GIMBAL_API void gimbal_rank_copy(void* to, const void* from);

/** Whether the parts of the plan that belong to one worker may be run by another: blocks of equal cost, by measurement.
 *  Those of `static` keep their worker, for its data may lie there. @return 1 or 0  @threads any */
GIMBAL_API int gimbal_rank_parts_move(const void* execution);

/** The root draws for another, as gimbal_loop_next(): how long the chunk takes is what gimbal_rank_reported() says. */
GIMBAL_API int gimbal_rank_next(gimbal_share* share, uint64_t* first, uint64_t* end);
/** The chunk [first, end) that the root drew from this share took so long; in any order, once each at most.
 *  @param ticks  of gimbal_rank_ticks() */
GIMBAL_API void gimbal_rank_reported(gimbal_share* share, uint64_t first, uint64_t end, uint64_t ticks);

/** The clock of all records. @return [ticks], the same in all processes of a node */
GIMBAL_API uint64_t gimbal_rank_ticks(void);
/** Length of a tick, roughly [s]: for bounds and what is learnt, not for reports. @threads any
 *  @cost some nanoseconds; half a microsecond some ten times, while the process is younger than 50 ms */
GIMBAL_API double gimbal_rank_tick_s(void);

/** The steps of a plan that every request takes the next one of, or that belong to workers: [steps + 1] starts.
 *  @param starts  out: the table, or NULL when all steps have `chunk` iterations
 *  @return steps, or 0 if this execution does not go by steps (weighted, adaptive) */
GIMBAL_API uint64_t gimbal_rank_steps(const void* execution, const uint64_t** starts, uint64_t* chunk);

/** When a rank that is in an execution takes large chunks, whatever the technique, so that a trial that turned out bad
 *  ends soon. @return since the rank began [ticks]; 0: never */
GIMBAL_API double gimbal_rank_limit(const void* execution);

/** N of an execution [iterations]. */
GIMBAL_API uint64_t gimbal_rank_trip(const void* execution);

/** Largest part that gimbal_rank_leave() writes [bytes]. */
GIMBAL_API size_t gimbal_rank_part_bytes(void);

/** What this process itself has run of an execution. */
typedef struct gimbal_rank_work {
    uint64_t ticks;      /**< in its chunks [ticks] */
    uint64_t iterations; /**< in these [iterations] */
    uint64_t chunks;     /**< as the program had them [count] */
} gimbal_rank_work;

/** A worker leaves; in the root's own execution object nothing more is needed.
 *  @param ran   what it ran; NULL: just the chunks that were drawn from this share
 *  @param part  [gimbal_rank_part_bytes()] out: what it saw; or NULL
 *  @return bytes used */
GIMBAL_API size_t gimbal_rank_leave(gimbal_share* share, const gimbal_rank_work* ran, void* part);

/** The root draws for another: that worker left `ticks` after it began, whenever the root hears of it.
 *  @param begun  when it began, by this process's gimbal_rank_ticks(), whenever gimbal_loop_begin() was called for it
 */
GIMBAL_API void gimbal_rank_left(gimbal_share* share, uint64_t begun, uint64_t ticks);

/** What the threads of a rank measured of iterations in the same part of a loop, as it travels between processes. */
typedef struct gimbal_rank_cost {
    uint32_t bin;  /**< which part */
    float time_s;  /**< of one thread [s] */
    float covered; /**< in so many iterations */
} gimbal_rank_cost;

/** Largest number of them that one rank sends. */
enum { GIMBAL_RANK_MAX_COSTS = 512 };

/** The root draws for another: what the threads of that worker measured, from its gimbal_rank_costs().
 *  @pre gimbal_rank_left() was called for it */
GIMBAL_API void gimbal_rank_costs_arrived(void* execution, uint32_t worker, const gimbal_rank_cost* costs,
                                          size_t count);

/** How often placement has moved threads of this process so far [count]. */
GIMBAL_API uint64_t gimbal_rank_moves(void);

/** The root draws for others: how often placement has moved threads of theirs so far, by their gimbal_rank_moves(), in
 *  all of them [count]. Nothing is learnt from an execution in which that changes, nor from the next one. */
GIMBAL_API void gimbal_rank_moved(void* execution, uint64_t moves);

/** Root: what a worker saw that drew from another execution object than the root's; from gimbal_rank_leave(). */
GIMBAL_API void gimbal_rank_arrived(void* execution, uint32_t worker, const void* part);

/** Root: all have left; learn. The object is void afterwards.
 *  @param learn  0: nothing is learnt for the choice (it was not the selector's), sums are kept
 *  @cost as gimbal_loop_end() of the last worker */
GIMBAL_API void gimbal_rank_close(void* execution, int learn);

/** Root: forget an execution that will never be complete. */
GIMBAL_API void gimbal_rank_drop(void* execution);

/** For the report: every rank calls it at its end of every execution of a loop over distributed data. Sums are kept by
 *  name and P.
 *  @param name  of the loop; is copied  @param ranks  P [count]  @param rule  GIMBAL_STEAL_* that was followed
 *  @threads any  @cost a lock and a search by name */
GIMBAL_API void gimbal_steal_report(const char* name, uint32_t ranks, int rule, const gimbal_steal_record* record);

/** The agent `steal-ratio` of a loop, in the process that chooses for all: it learns which of
 *  GIMBAL_RL_SR_PORTFOLIO_SIZE ratios is best, with the settings of GIMBAL_RL_... for ranks. Its steps are in the file
 *  of GIMBAL_RECORD, and where GIMBAL_REPLAY names them it follows those.
 *  @param name  of the loop; is copied  @param ranks  P [count]
 *  @return never NULL; valid until the process ends; the same for the same name and P  @threads any */
GIMBAL_API void* gimbal_steal_agent(const char* name, uint32_t ranks);
/** The ratio for the next execution, of whichever loop of that name and P.
 *  @param step  out: its number, for gimbal_steal_learn()  @return in (0, 1]  @threads any  @cost a lock */
GIMBAL_API double gimbal_steal_choose(void* agent, uint64_t* step);
/** What an execution showed.
 *  @param step         that gimbal_steal_choose() gave it; one that was told of before, or long ago, is ignored
 *  @param loop_time_s  from the first begin to the last end [s], > 0; else that execution teaches nothing
 *  @param busy_max_s, busy_mean_s  of the ranks' times in it, over ranks [s]
 *  @threads any  @cost a lock */
GIMBAL_API void gimbal_steal_learn(void* agent, uint64_t step, double loop_time_s, double busy_max_s,
                                   double busy_mean_s);

/** The chunk of a loop over ranks that this process is in, for the loops of the thread level that run it. Relaxed,
 *  since a team of threads is begun after the chunk is drawn; a reader at another time may see parts of two chunks, and
 *  checks the length. */
typedef struct gimbal_rank_chunk {
    uint64_t first;  /**< [iterations] */
    uint64_t end;    /**< one past the last [iterations]; 0: this process is in no chunk */
    uint64_t trip;   /**< N of the loop over ranks [iterations] */
    uint64_t number; /**< differs from one chunk to the next */
    uint64_t of;     /**< how the loop over ranks runs: gimbal_rank_describe() */
    void* site;      /**< of the loop over ranks, in the root; NULL elsewhere */
} gimbal_rank_chunk;

/** The one of this process. @return never NULL; valid until the process ends  @threads any */
GIMBAL_API gimbal_rank_chunk* gimbal_rank_chunk_here(void);

/** What chunks of an execution have in common.
 *  @param execution  of this rank; NULL: the ranks draw otherwise, and nothing but N is known
 *  @param chunk      out: trip, of, site */
GIMBAL_API void gimbal_rank_describe(const void* execution, uint64_t trip, gimbal_rank_chunk* chunk);

/** Root, where it hands out all chunks: what it has decided for the threads that run them, as a number that goes to the
 *  other ranks with their chunks. From now on the choice for this loop counts on that.
 *  @return 0: nothing  @threads as gimbal_rank_decide() */
GIMBAL_API uint64_t gimbal_rank_within(void* execution);
/** Root: how many iterations it should run at once at least, so that its threads have something to share out.
 *  @return [iterations]; 0: as far as is known chunks are not run by teams  @threads any  @cost a load */
GIMBAL_API uint64_t gimbal_rank_least(const void* execution);
/** Another rank: that has come with its first chunk.
 *  @param chunk  of an execution that gimbal_rank_describe() knows nothing of but N; in and out
 *  @param ranks  P [count]  @threads as gimbal_rank_chunk_begin() */
GIMBAL_API void gimbal_rank_follow(gimbal_rank_chunk* chunk, uint64_t within, uint32_t ranks);
/** Whether threads that run such chunks measure what iterations cost. @return 1 or 0 */
GIMBAL_API int gimbal_rank_sampled(const gimbal_rank_chunk* chunk);
/** It leaves: what its threads measured, nothing unless they measured all that it ran.
 *  @param iterations  that this process ran  @param costs  [GIMBAL_RANK_MAX_COSTS] out  @return how many */
GIMBAL_API size_t gimbal_rank_costs(const gimbal_rank_chunk* chunk, uint32_t ranks, uint64_t iterations,
                                    gimbal_rank_cost* costs);

/** This process begins a chunk. @param chunk  trip, of and site of its execution  @threads one for one loop
 *  @cost six stores into one cache line */
static inline void gimbal_rank_chunk_begin(gimbal_rank_chunk* here, const gimbal_rank_chunk* chunk, uint64_t first,
                                           uint64_t end) {
    __atomic_store_n(&here->first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&here->end, end, __ATOMIC_RELAXED);
    __atomic_store_n(&here->trip, chunk->trip, __ATOMIC_RELAXED);
    __atomic_store_n(&here->number, __atomic_load_n(&here->number, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&here->of, chunk->of, __ATOMIC_RELAXED);
    __atomic_store_n(&here->site, chunk->site, __ATOMIC_RELAXED);
}

/** It is in none any more. */
static inline void gimbal_rank_chunk_end(gimbal_rank_chunk* here) {
    __atomic_store_n(&here->end, 0, __ATOMIC_RELAXED);
}

/** Have `callback` called from inside loops of the thread level: by the thread that calls this, when it draws a chunk
 *  as worker 0 of a team, at most once in `period_us`; until that thread ends. NULL ends it for all threads of the
 *  process. Loops that are in flight do not change.
 *  @param period_us  [us], >= 1  @threads any  @cost while it is set, that worker draws the longer way */
GIMBAL_API void gimbal_progress_set(void (*callback)(void*), void* argument, uint32_t period_us);

#ifdef __cplusplus
}
#endif
#endif
