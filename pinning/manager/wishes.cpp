// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/wishes.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "counters/ladder.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

bool binds(std::string_view variable, std::string value) {
    std::transform(value.begin(), value.end(), value.begin(), ascii_lower);
    if (value.empty()) return false;
    if (variable == "OMP_PROC_BIND") return value != "false";
    if (variable == "KMP_AFFINITY")
        return value.find("none") == std::string::npos && value.find("disabled") == std::string::npos;
    return true;
}

}  // namespace

Wishes read_wishes(const gimbal_pin_settings& given, std::string& name) {
    Wishes wishes;
    wishes.settings = *given.settings;
    wishes.force = given.force;
    wishes.share = given.share;
    wishes.rank = given.rank;
    wishes.seed = given.seed;
    wishes.trace = given.trace;
    name = "GIMBAL_PIN_NODES";
    wishes.machine.pseudo_nodes = parse_pseudo_nodes(given.nodes, name);
    name = "GIMBAL_PIN_RESERVE";
    wishes.machine.reserve = parse_pu_list(given.reserve, name);
    name = "GIMBAL_PIN_METRIC";
    wishes.metric = parse_metric(given.metric, name);
    if (!wishes.machine.pseudo_nodes.empty() || !wishes.machine.reserve.empty()) {
        // Only the machine can say whether it has them. It is read again when the first thread is to be placed.
        name = wishes.machine.pseudo_nodes.empty() ? "GIMBAL_PIN_RESERVE" : "GIMBAL_PIN_NODES";
        const Machine machine(wishes.machine);
    }
    return wishes;
}

std::string bound_by_variable() {
    for (const char* const variable : {"OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
        const char* const value = std::getenv(variable);
        if (value && binds(variable, value)) return std::string(variable) + "=" + value;
    }
    return {};
}

std::string bound_by(const Inventory& machine, const std::vector<int>& allowed, const std::vector<int>& granted) {
    if (std::string variable = bound_by_variable(); !variable.empty()) return variable;
    std::map<int, std::vector<int>> nodes;
    for (const PuInfo& pu : machine.pus)
        if (granted.empty() || std::binary_search(granted.begin(), granted.end(), pu.os))
            nodes[pu.memory_node].push_back(pu.os);
    const auto whole = [&](const auto& node) {
        return std::all_of(node.second.begin(), node.second.end(),
                           [&](int pu) { return std::binary_search(allowed.begin(), allowed.end(), pu); });
    };
    if (nodes.empty() || std::any_of(nodes.begin(), nodes.end(), whole)) return {};
    return "a mask of processors " + pu_list_text(allowed) + ", which is less than a node";
}

}  // namespace gimbal::pin
