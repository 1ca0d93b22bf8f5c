// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libgimbal_topology.so: the machine, for the core.
#include <algorithm>
#include <exception>

#include "gimbal/topology.h"
#include "machine/inventory.hpp"

int gimbal_topology_fill(gimbal_cpu_place* places, int capacity) {
    if (capacity < 0 || (!places && capacity > 0)) return GIMBAL_TOPOLOGY_BAD_ARGUMENT;
    try {
        const gimbal::pin::Inventory machine = gimbal::pin::read_inventory();
        int count = 0;
        for (const gimbal::pin::PuInfo& pu : machine.pus) count = std::max(count, pu.os + 1);
        std::fill_n(places, std::min(count, capacity), gimbal_cpu_place{-1, -1, -1, -1, -1});
        for (const gimbal::pin::PuInfo& pu : machine.pus)
            if (pu.os < capacity)
                places[pu.os] = {
                    .core = pu.core, .l2 = pu.l2, .l3 = pu.l3, .numa = pu.memory_node, .package = pu.package};
        return count;
    } catch (const std::exception&) {
        return GIMBAL_TOPOLOGY_UNREADABLE;
    }
}
