// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "decide/machine_view.hpp"

namespace gimbal::pin {

/// One processor, with both its numbers and what is around it. -1: the machine does not say.
struct PuInfo {
    int os = 0;                   ///< the operating system's number: what masks and decisions speak of
    int logical = 0;              ///< hwloc's number: neighbours have neighbouring numbers
    int core = -1;                ///< logical number of its core
    int sibling = 0;              ///< 0: first PU of its core, 1: second (SMT), ...
    int l2 = -1;                  ///< logical number of its cache of level 2
    int l3 = -1;                  ///< logical number of its cache of level 3
    int cache = -1;               ///< of its last-level cache: that of level 3 if the machine has any, else 2
    int package = -1;             ///< logical number
    int memory_node = kNoMemory;  ///< the operating system's number of the nearest NUMA memory
    int kind = -1;                ///< rank of its core kind, 0: the weakest; -1: all cores are of one kind
};

/// A machine as read, before anyone restricts it.
struct Inventory {
    std::vector<PuInfo> pus;    ///< by logical number
    std::vector<int> memories;  ///< NUMA memories, the operating system's numbers
    bool real = true;           ///< false: made up or from a file; nothing may be pinned by it
    std::string source;         ///< in words: "this machine", "synthetic numa:2 core:4", "file m.xml"
};

/// Reads a machine with hwloc. HWLOC_SYNTHETIC, HWLOC_XMLFILE and HWLOC_THISSYSTEM mean what they mean to hwloc. All
/// PUs that are online are there, also those that this process may not use.
/// @param synthetic  hwloc's words for a made-up machine, "numa:2 core:8 pu:2"; empty: the environment's, or this one
/// @errors gimbal::Error(invalid_option): hwloc does not understand `synthetic` or HWLOC_SYNTHETIC;
///         gimbal::Error(file): it cannot read HWLOC_XMLFILE; gimbal::Error(unsupported): it cannot read the machine,
///         is of another major version than the one that this was built with, or would find no memory (ulimit -v)
/// @threads any; no thread is moved to look at processors  @cost milliseconds
/// @source test: tests/unit/pinning/machine/inventory_test.cpp
[[nodiscard]] Inventory read_inventory(const std::string& synthetic = {});

/// The tree for the decision core: machine, node, cache, core, pu; what the machine does not have is missing. Within a
/// node the strongest kind of core comes first; first placements follow that order.
/// @errors none but std::bad_alloc  @cost O(PUs log PUs)
[[nodiscard]] Place place_tree(const Inventory& inventory);

}  // namespace gimbal::pin
