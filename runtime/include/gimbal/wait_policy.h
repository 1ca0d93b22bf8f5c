/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_WAIT_POLICY_H
#define GIMBAL_WAIT_POLICY_H

#include <stdint.h>

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How many threads a team of this process may have for them to spin where they wait [count]; threads of larger teams
 *  sleep at once. It is this rank's share of the node's processors where several ranks may run on all of them: there
 *  a thread that spins takes the core from another rank's work. UINT32_MAX where the process is no rank, the only one
 *  of its node or bound to some processors, and where KMP_BLOCKTIME, KMP_LIBRARY or OMP_WAIT_POLICY is set.
 *  @threads any  @cost system calls  @source ours; docs/decisions/0055; test: tests/unit/lending, tests/omp/crowded */
GIMBAL_API uint32_t gimbal_spinning_threads(void);

#ifdef __cplusplus
}
#endif
#endif
