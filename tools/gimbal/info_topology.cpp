// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/quote.hpp"
#include "gimbal/error.hpp"
#include "info_command.hpp"
#include "paths.hpp"
#include "program_file.hpp"
#include "report/run_record.hpp"

#ifdef GIMBAL_HAVE_HWLOC
#include <hwloc.h>
#include <sched.h>

#include <cstdlib>
#include <memory>
#endif

namespace gimbal::tool {

#ifdef GIMBAL_HAVE_HWLOC

namespace {

/// hwloc's own notation of a set, e.g. "0-3,8".
std::string set_text(hwloc_const_bitmap_t set) {
    char* text = nullptr;
    if (hwloc_bitmap_list_asprintf(&text, set) < 0) return {};
    const std::unique_ptr<char, void (*)(void*)> owned(text, std::free);
    return text;
}

/// Where this process may run: its own mask, narrower than what the machine has if a launcher or cgroup said so.
std::string allowed_text(hwloc_topology_t topology) {
    const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    if (hwloc_get_cpubind(topology, set.get(), HWLOC_CPUBIND_PROCESS) != 0) return "unknown";
    return set_text(set.get());
}

Json numa_nodes(hwloc_topology_t topology) {
    Json nodes = Json::array();
    for (hwloc_obj_t node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, nullptr); node;
         node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))
        nodes.push_back({{"node", node->os_index},
                         {"cpus", set_text(node->cpuset)},
                         {"memory_bytes", node->attr->numanode.local_memory}});
    return nodes;
}

/// hwloc takes the machine that it runs on where it cannot read the one that it was told of.
void refuse_the_wrong_machine(hwloc_topology_t topology) {
    const char* const as_this_one = std::getenv("HWLOC_THISSYSTEM");
    if (!hwloc_topology_is_thissystem(topology) || (as_this_one && *as_this_one != '0')) return;
    for (const char* const name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC"}) {
        const char* const value = std::getenv(name);
        if (!value || !*value) continue;
        throw Error(ErrorCode::file, std::string("hwloc cannot read the machine of ") + name + "=" + quote_value(value),
                    "lstopo writes such files: lstopo machine.xml; a description is like \"numa:2 core:8 pu:2\"");
    }
}

}  // namespace

int info_topology(InfoForm form) {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return 1;
    const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> owned(topology, hwloc_topology_destroy);
    if (hwloc_topology_load(topology) != 0) return 1;
    refuse_the_wrong_machine(topology);
    const auto count = [&](hwloc_obj_type_t type) { return hwloc_get_nbobjs_by_type(topology, type); };
    const Json json = {{"packages", count(HWLOC_OBJ_PACKAGE)},   {"numa_nodes", count(HWLOC_OBJ_NUMANODE)},
                       {"cores", count(HWLOC_OBJ_CORE)},         {"hardware_threads", count(HWLOC_OBJ_PU)},
                       {"allowed_cpus", allowed_text(topology)}, {"numa", numa_nodes(topology)}};
    if (form == InfoForm::json) return print_json(json);
    std::string text;
    for (const auto& [key, value] : json.items()) {
        if (value.is_array()) continue;
        std::string name = key;
        name.resize(18, ' ');
        text += name + (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
    }
    for (const Json& node : json["numa"])
        text += "numa node " + node["node"].dump() + ": cpus " + node["cpus"].get<std::string>() + ", memory " +
                std::to_string(node["memory_bytes"].get<std::uint64_t>() >> 20) + " MiB\n";
    return print_text(text + "CPU numbers are the operating system's.\n");
}

#else

int info_topology(InfoForm form) {
    if (form == InfoForm::json) return print_json(Json{{"hwloc", "none"}});
    return print_text("This gimbal was built without hwloc and does not know the machine.\n");
}

#endif

namespace {

std::string hwloc_version() {
#ifdef GIMBAL_HAVE_HWLOC
    const unsigned version = hwloc_get_api_version();
    return std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 0xff) + "." +
           std::to_string(version & 0xff);
#else
    return "none";
#endif
}

}  // namespace

int info_build(InfoForm form) {
    const std::string libomp = find_libomp();
    const Json json = {{"gimbal", version()},
                       {"compiler", __VERSION__},
                       {"build_type", GIMBAL_BUILD_TYPE},
                       {"hwloc_api", hwloc_version()},
                       {"libomp", libomp},
                       {"libomp_soname", libomp.empty() ? "" : read_elf(libomp).soname}};
    if (form == InfoForm::json) return print_json(json);
    std::string text;
    for (const auto& [key, value] : json.items()) {
        std::string name = key;
        name.resize(14, ' ');
        const std::string shown = value.get<std::string>();
        text += name + "  " + (shown.empty() ? "none (looked for " + libomp_places() + ")" : shown) + "\n";
    }
    return print_text(text);
}

}  // namespace gimbal::tool
