/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_RANK_CORES_H
#define GIMBAL_RANK_CORES_H

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Ranks of a node lend each other cores. A rank that waits in MPI has cores and no work; another one still computes.
 *  A library that wraps MPI tells here when its rank waits; the core lets surplus workers of other ranks use the cores
 *  meanwhile (gimbal/elastic_team.h).
 *
 *  @source ours; docs/decisions/0030; test: tests/unit/lending */

enum { GIMBAL_RANK_CORES_SLOT_BYTES = 4096 /**< node memory that the core wants for each rank [bytes] */ };

/** How the warning begins that says why nothing is lent though it is asked for: the report goes by it. */
#define GIMBAL_ELASTIC_HAS_NO_EFFECT "GIMBAL_ELASTIC has no effect: "

/** Whether lending between ranks is asked for (GIMBAL_ELASTIC). @threads any */
GIMBAL_API int gimbal_rank_cores_on(void);

/** Show the other ranks of the node where this one may run. All should, before any goes on to
 *  gimbal_rank_cores_attach(), which takes the same: they share out the processors by that.
 *  @threads the one that will attach  @errors none */
GIMBAL_API void gimbal_rank_cores_show(void* memory, unsigned long bytes, int slot, int slots);

/** This process is a rank of a node, and may lend and borrow from now on.
 *  @param memory  the same for all ranks of the node, zero at first, GIMBAL_RANK_CORES_SLOT_BYTES for each of them;
 *                 stays mapped until the process ends
 *  @param slot    this rank's place of [0, slots), different for each
 *  @threads one, before it lends  @errors none: too little memory, or a second call, and nothing is lent */
GIMBAL_API void gimbal_rank_cores_attach(void* memory, unsigned long bytes, int slot, int slots);

/** The calling thread is about to sleep until another rank has done something: the cores that it leaves idle may be
 *  used by others. Outside of parallel regions these are all of the rank's, inside its own one.
 *  @threads any; each owes a gimbal_rank_cores_take_back()  @cost a lock and a look at every rank's slot; a system
 *  call for each rank that gets some */
GIMBAL_API void gimbal_rank_cores_lend(void);

/** Whether it is of use that a rank sleeps while it waits: another one has a region that could use its cores, or the
 *  ranks of the node have more threads than it has processors. Else waiting as MPI does costs least.
 *  @return 1 or 0  @threads any  @cost a load for each rank of the node */
GIMBAL_API int gimbal_rank_cores_wanted(void);

/** It goes on. Who uses one of its cores leaves it after the chunk in progress; nobody waits for that.
 *  @threads any  @cost a lock and a store */
GIMBAL_API void gimbal_rank_cores_take_back(void);

/** The calling thread is about to start a program, or a child, which is no part of the rank: if it has the rank's
 * cores, or others', since Gimbal has given it these, it has the mask from before gimbal_rank_cores_attach() meanwhile.
 *  @return 1: its mask was changed; it owes a gimbal_rank_cores_step_in() if it goes on. 0: nothing was done
 *  @threads any, also a child after fork() or vfork(): takes no lock  @cost one load without ranks, else three system
 *  calls */
GIMBAL_API int gimbal_rank_cores_step_out(void);
GIMBAL_API void gimbal_rank_cores_step_in(void);

/** The program itself has set the mask of one of its threads: what it has set stays when MPI ends, and for children.
 *  @param thread  the kernel's number  @threads any  @cost one load without ranks, else a system call */
GIMBAL_API void gimbal_rank_cores_note_set(int thread);

/** MPI ends: nothing is lent or borrowed any more. @threads one, when nobody is in a loop */
GIMBAL_API void gimbal_rank_cores_detach(void);

#ifdef __cplusplus
}
#endif
#endif
