// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine as hwloc sees it, for the core.
#include <hwloc.h>

#include "gimbal/topology.h"

// Only what a place consists of; no devices, which are slow to look at. Processors and NUMA nodes are always kept.
static int keep_little(hwloc_topology_t topology) {
    static const hwloc_obj_type_t wanted[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    if (hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) != 0) return -1;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i)
        if (hwloc_topology_set_type_filter(topology, wanted[i], HWLOC_TYPE_FILTER_KEEP_ALL) != 0) return -1;
    // A NUMA node hangs on an object that covers just its processors. Where there is no other, hwloc makes a group;
    // without groups the node would hang on something wider and seem to be shared by more processors than it is.
    if (hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE) != 0) return -1;
    unsigned long flags = 0;
#if HWLOC_API_VERSION >= 0x00020500
    // Otherwise hwloc may move the calling thread from processor to processor to ask each of them.
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    return hwloc_topology_set_flags(topology, flags);
}

// A number that stands for the object of that type around a processor.
static int32_t around(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t processor) {
    const hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, type, processor);
    return object ? (int32_t)object->logical_index : -1;
}

// NUMA nodes hang beside the tree of processors, and a processor may have several: take the one that the fewest share.
static int32_t nearest_node(hwloc_topology_t topology, hwloc_obj_t processor) {
    int32_t nearest = -1;
    int fewest = 0;
    for (hwloc_obj_t node = NULL; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));) {
        if (!hwloc_bitmap_isset(node->cpuset, processor->os_index)) continue;
        const int sharers = hwloc_bitmap_weight(node->cpuset);
        if (nearest >= 0 && sharers >= fewest) continue;
        nearest = (int32_t)node->logical_index;
        fewest = sharers;
    }
    return nearest;
}

static int fill_from(hwloc_topology_t topology, gimbal_cpu_place* places, int capacity) {
    const int count = hwloc_bitmap_last(hwloc_topology_get_topology_cpuset(topology)) + 1;
    if (count < 1) return GIMBAL_TOPOLOGY_UNREADABLE;
    for (int cpu = 0; cpu < count && cpu < capacity; ++cpu) places[cpu] = (gimbal_cpu_place){-1, -1, -1, -1, -1};
    for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu));) {
        if (pu->os_index >= (unsigned)capacity) continue;
        places[pu->os_index] = (gimbal_cpu_place){.core = around(topology, HWLOC_OBJ_CORE, pu),
                                                  .l2 = around(topology, HWLOC_OBJ_L2CACHE, pu),
                                                  .l3 = around(topology, HWLOC_OBJ_L3CACHE, pu),
                                                  .numa = nearest_node(topology, pu),
                                                  .package = around(topology, HWLOC_OBJ_PACKAGE, pu)};
    }
    return count;
}

int gimbal_topology_fill(gimbal_cpu_place* places, int capacity) {
    if (capacity < 0 || (!places && capacity > 0)) return GIMBAL_TOPOLOGY_BAD_ARGUMENT;
    // A program that shows an hwloc of its own gets all calls, these too; another major version has other structures.
    if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16) return GIMBAL_TOPOLOGY_WRONG_LIBRARY;
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) != 0) return GIMBAL_TOPOLOGY_UNREADABLE;
    int result = GIMBAL_TOPOLOGY_UNREADABLE;
    if (keep_little(topology) == 0 && hwloc_topology_load(topology) == 0)
        result = fill_from(topology, places, capacity);
    hwloc_topology_destroy(topology);
    return result;
}
