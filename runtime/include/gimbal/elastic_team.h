/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_ELASTIC_TEAM_H
#define GIMBAL_ELASTIC_TEAM_H

#include <stdint.h>

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  Teams that may grow while a loop runs. A rank has T threads of its own (GIMBAL_RANK_THREADS) and cores for these. A
 *  region that was seen to consist of loops that Gimbal schedules, and never to ask for the number of a thread or of
 *  threads, gets surplus workers besides. They sleep at each loop until another rank lends a core
 *  (gimbal/rank_cores.h), or until the loop has run out; then they run through. The program is told T everywhere.
 *
 *  @source ours; docs/decisions/0030; test: tests/unit/lending, tests/mpi/elastic */

/** A parallel region of the program, by its code; what is learnt about it. */
typedef struct gimbal_region gimbal_region;

/** A team, as it is decided when it forks. */
typedef struct gimbal_team {
    uint32_t threads;      /**< threads that it gets [count] */
    uint32_t own;          /**< those of them that have a core, [0, own); the others are surplus workers [count] */
    gimbal_region* region; /**< to be given back; NULL: nothing is learnt from this team */
} gimbal_team;

/** T, the threads of a rank that have cores of its own [count]; 0: teams are what the program asks for. @threads any */
GIMBAL_API uint32_t gimbal_elastic_threads(void);

/** A team forks that is not inside another one.
 *  @param code   what its threads will run; NULL: the program named the number of threads, and gets it
 *  @param asked  threads that the program expects [count], >= 1
 *  @threads the one that forks  @cost 0.1 us */
GIMBAL_API gimbal_team gimbal_team_begin(const void* code, uint32_t asked);

/** A team forks that is inside another one. Threads that were surplus workers may be in it: they are to be on this
 *  rank's cores, unless a team has surplus workers at this moment.
 *  @threads any  @cost two loads if none has run elsewhere, else three system calls for each that has */
GIMBAL_API void gimbal_team_inside(void);

/** A thread of the team has asked for its number, or how many there are: no surplus workers from the next time on.
 *  @threads any of the team */
GIMBAL_API void gimbal_team_numbered(gimbal_region* region);

/** Regions that might have had surplus workers if their code did not ask for numbers of threads [count].
 *  @threads any */
GIMBAL_API uint64_t gimbal_regions_with_numbers(void);

/** All threads of the team have met at its end. @param region  of gimbal_team_begin() @threads the same */
GIMBAL_API void gimbal_team_end(gimbal_region* region);

#ifdef __cplusplus
}
#endif
#endif
