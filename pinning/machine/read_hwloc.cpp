// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only file that knows hwloc.
#include <hwloc.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "gimbal/error.hpp"
#include "machine/inventory.hpp"

namespace gimbal::pin {

namespace {

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

/// Only what a place consists of; no devices, which are slow to look at.
bool keep_little(hwloc_topology_t topology) {
    constexpr hwloc_obj_type_t kWanted[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    bool ok = hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) == 0;
    for (const hwloc_obj_type_t type : kWanted)
        ok = ok && hwloc_topology_set_type_filter(topology, type, HWLOC_TYPE_FILTER_KEEP_ALL) == 0;
    // A NUMA node hangs on an object that covers just its processors; where there is none, hwloc makes a group.
    ok = ok && hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE) == 0;
    // What is not allowed now may be later: that is for this room to follow, not for hwloc.
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
#if HWLOC_API_VERSION >= 0x00020500
    // Otherwise hwloc may move the calling thread from processor to processor to ask each of them.
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#endif
    return ok && hwloc_topology_set_flags(topology, flags) == 0;
}

int around(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t pu) {
    const hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, type, pu);
    return object != nullptr ? static_cast<int>(object->logical_index) : -1;
}

/// A processor may have several memories (or share one with more processors): take the one that the fewest share, and
/// of those the first, which is ordinary memory where there is fast memory beside it.
int nearest_memory(hwloc_topology_t topology, hwloc_obj_t pu) {
    int nearest = kNoMemory;
    int fewest = 0;
    for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));) {
        if (hwloc_bitmap_isset(node->cpuset, pu->os_index) == 0) continue;
        const int sharers = hwloc_bitmap_weight(node->cpuset);
        if (nearest != kNoMemory && sharers >= fewest) continue;
        nearest = static_cast<int>(node->os_index);
        fewest = sharers;
    }
    return nearest;
}

int kind_of(hwloc_topology_t topology, [[maybe_unused]] hwloc_obj_t pu) {
#if HWLOC_API_VERSION >= 0x00020400
    if (hwloc_cpukinds_get_nr(topology, 0) < 2) return -1;
    const int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    int efficiency = -1;
    if (kind < 0 ||
        hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, nullptr, nullptr, 0) != 0)
        return -1;
    return efficiency;  // hwloc's rank; -1 where it cannot rank them
#else
    (void)topology;
    return -1;
#endif
}

int sibling_of(hwloc_topology_t topology, hwloc_obj_t pu) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    if (core == nullptr) return 0;
    const int rank = hwloc_get_obj_index_inside_cpuset(topology, core->cpuset, pu);
    return rank > 0 ? rank : 0;
}

/// A name in the environment, or "".
std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// What is to be read instead of this machine; hwloc has the same order. Left to itself it would take this machine
/// without a word if it did not understand one of these.
struct MachineSource {
    std::string synthetic;
    std::string file;
};

MachineSource source_named_by(const std::string& synthetic) {
    if (!synthetic.empty()) return {synthetic, {}};
    if (std::string file = environment("HWLOC_XMLFILE"); !file.empty()) return {{}, std::move(file)};
    return {environment("HWLOC_SYNTHETIC"), {}};
}

std::string source_of(const MachineSource& from, bool real) {
    const std::string taken = real ? ", taken for this machine" : "";
    if (!from.synthetic.empty()) return "synthetic " + from.synthetic + taken;
    if (!from.file.empty()) return "file " + from.file + taken;
    return real ? "this machine" : "a machine from the environment of hwloc";
}

/// Whether hwloc will get what it asks for: it does not look at what malloc() says, and crashes.
bool memory_is_there() noexcept {
    constexpr std::size_t kWanted = std::size_t{1} << 24;  // [bytes]
    void* const some = mmap(nullptr, kWanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return some != MAP_FAILED && munmap(some, kWanted) == 0;
}

Topology load(const MachineSource& from) {
    if (!memory_is_there())
        throw Error(ErrorCode::unsupported, "too little memory is left to look at the machine",
                    "raise the limit on address space (ulimit -v), or run without placement");
    // A program that shows an hwloc of its own gets all calls, these too; another major version has other structures.
    if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
        throw Error(ErrorCode::unsupported,
                    "the hwloc in this process is of another major version than the one that "
                    "Gimbal was built with",
                    "run without placement, or build Gimbal with the program's hwloc");
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) throw Error(ErrorCode::unsupported, "hwloc cannot start");
    Topology topology(raw, hwloc_topology_destroy);
    if (!from.file.empty() && hwloc_topology_set_xml(raw, from.file.c_str()) != 0)
        throw Error(ErrorCode::file, "hwloc cannot read the machine in \"" + from.file + "\" (HWLOC_XMLFILE)",
                    "lstopo writes such files: lstopo machine.xml");
    if (!from.synthetic.empty() && hwloc_topology_set_synthetic(raw, from.synthetic.c_str()) != 0)
        throw Error(ErrorCode::invalid_option, "hwloc does not understand the machine \"" + from.synthetic + "\"",
                    "write counts per level, outermost first, and end with pu: numa:2 core:8 pu:2");
    if (!keep_little(raw) || hwloc_topology_load(raw) != 0)
        throw Error(ErrorCode::unsupported, "hwloc cannot read the machine",
                    "look at the output of lstopo, and at HWLOC_SYNTHETIC and HWLOC_XMLFILE in the environment");
    return topology;
}

}  // namespace

Inventory read_inventory(const std::string& synthetic) {
    const MachineSource from = source_named_by(synthetic);
    const Topology owner = load(from);
    const hwloc_topology_t topology = owner.get();
    Inventory inventory;
    inventory.real = hwloc_topology_is_thissystem(topology) != 0;
    inventory.source = source_of(from, inventory.real);
    // Each level of caches has numbers of its own, so they are not to be mixed.
    const bool has_l3 = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0;
    for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu));) {
        const int l2 = around(topology, HWLOC_OBJ_L2CACHE, pu);
        const int l3 = around(topology, HWLOC_OBJ_L3CACHE, pu);
        inventory.pus.push_back({.os = static_cast<int>(pu->os_index),
                                 .logical = static_cast<int>(pu->logical_index),
                                 .core = around(topology, HWLOC_OBJ_CORE, pu),
                                 .sibling = sibling_of(topology, pu),
                                 .l2 = l2,
                                 .l3 = l3,
                                 .cache = has_l3 ? l3 : l2,
                                 .package = around(topology, HWLOC_OBJ_PACKAGE, pu),
                                 .memory_node = nearest_memory(topology, pu),
                                 .kind = kind_of(topology, pu)});
    }
    for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));)
        inventory.memories.push_back(static_cast<int>(node->os_index));
    if (inventory.pus.empty()) throw Error(ErrorCode::unsupported, "hwloc sees no processor in this machine");
    return inventory;
}

}  // namespace gimbal::pin
