/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_TOPOLOGY_H
#define GIMBAL_TOPOLOGY_H

#include <stdint.h>

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  What the core asks about the machine: who shares what with whom. A provider answers, a shared object of its own
 *  (libgimbal_topology.so beside libgimbal.so, made by pinning/machine), so that the core needs no hwloc. */

/** Where one processor of the operating system stands. The numbers are any numbers >= 0; two processors with the same
 *  one share the thing. -1: there is no such thing, it is unknown, or there is no such processor. */
typedef struct gimbal_cpu_place {
    int32_t core;    /**< core */
    int32_t l2;      /**< cache of level 2 */
    int32_t l3;      /**< cache of level 3 */
    int32_t numa;    /**< NUMA node */
    int32_t package; /**< package (socket) */
} gimbal_cpu_place;

/** What gimbal_topology_fill() returns instead of a count. */
enum {
    GIMBAL_TOPOLOGY_BAD_ARGUMENT = -1, /**< capacity is negative, or places is NULL and capacity is not 0 */
    GIMBAL_TOPOLOGY_UNREADABLE = -3    /**< the machine or its description cannot be read */
};

/** The provider's only function. It asks the machine anew at every call.
 *  @param places    [capacity] is filled: places[c] is processor number c of the operating system; may be NULL if
 *                   capacity is 0
 *  @param capacity  length of places [count], >= 0
 *  @return n, the largest processor number + 1 [count], >= 1, also where it exceeds capacity: then only places[0] to
 *          places[capacity - 1] were filled; elements from n on are left alone; or one of the negative codes above
 *  @errors the codes; out of memory is GIMBAL_TOPOLOGY_UNREADABLE
 *  @threads any; binds no thread and changes nothing in the process  @cost milliseconds: reads /sys, or a file */
GIMBAL_API int gimbal_topology_fill(gimbal_cpu_place* places, int capacity);

/** Its type, for who finds it with dlsym(). */
typedef int (*gimbal_topology_provider)(gimbal_cpu_place* places, int capacity);

#ifdef __cplusplus
}
#endif
#endif
