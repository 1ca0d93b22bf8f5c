/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_RANK_CORES_H
#define GIMBAL_RANK_CORES_H

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Ranks of a node lend cores. mpi_layer/waiting knows when a rank waits in MPI and calls these functions; what is done
 *  with the cores is the core's own. A library that finds none of them in the process lends nothing.
 *
 *  Order of calls in a process: gimbal_rank_cores_attach() once, in MPI_Init; then pairs of gimbal_rank_cores_lend()
 *  and gimbal_rank_cores_take_back(), never nested and never at once from two threads; gimbal_rank_cores_detach() in
 *  MPI_Finalize. A process that is killed calls none of them any more. */

enum { GIMBAL_RANK_CORES_SLOT_BYTES = 4096 /**< node memory of one rank [bytes] */ };

/** Whether lending between ranks is asked for (GIMBAL_ELASTIC); read once. @threads any */
GIMBAL_API int gimbal_rank_cores_on(void);

/** Memory that all ranks of the node share, of which the core has the use.
 *  @param memory  [bytes], zeroed before the first rank sees it, 4096-byte aligned; stays mapped until the process
 *                 ends. A rank's own part begins at memory + slot * GIMBAL_RANK_CORES_SLOT_BYTES
 *  @param bytes   slots * GIMBAL_RANK_CORES_SLOT_BYTES
 *  @param slot    of the caller, in [0, slots)
 *  @param slots   ranks of MPI_COMM_WORLD on this node [count], >= 1
 *  @errors none: who cannot use it lends nothing  @threads one */
GIMBAL_API void gimbal_rank_cores_attach(void* memory, unsigned long bytes, int slot, int slots);

/** The calling rank is about to sleep in MPI, outside of parallel regions: others may use its cores. @threads one */
GIMBAL_API void gimbal_rank_cores_lend(void);

/** It goes on, and wants its cores. @threads the one that lent */
GIMBAL_API void gimbal_rank_cores_take_back(void);

/** MPI ends: the rank neither lends nor borrows from here on. @threads one */
GIMBAL_API void gimbal_rank_cores_detach(void);

#ifdef __cplusplus
}
#endif
#endif
