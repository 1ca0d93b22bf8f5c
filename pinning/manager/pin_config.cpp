// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/pin_config.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "counters/counter_backends.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

/// The types that bind. Without one libomp binds nobody: "verbose", "granularity=core".
bool names_type(std::string_view affinity) {
    constexpr std::array kTypes = {"compact", "scatter", "balanced", "explicit", "proclist", "logical", "physical"};
    return std::any_of(kTypes.begin(), kTypes.end(),
                       [&](const char* type) { return affinity.find(type) != std::string_view::npos; });
}

bool binds(std::string_view variable, std::string value) {
    std::transform(value.begin(), value.end(), value.begin(), ascii_lower);
    if (value.empty()) return false;
    if (variable == "OMP_PROC_BIND") return value != "false";
    // Where nobody says whether to bind, places bind.
    if (variable == "OMP_PLACES") return !std::getenv("OMP_PROC_BIND");
    return variable != "KMP_AFFINITY" || names_type(value);
}

}  // namespace

PinConfig read_config(const gimbal_pin_settings& given, std::string& name) {
    PinConfig config;
    config.settings = *given.settings;
    config.force = given.force;
    config.share = given.share;
    config.rank = given.rank;
    config.seed = given.seed;
    config.trace = given.trace;
    name = "GIMBAL_PIN_NODES";
    config.machine.pseudo_nodes = parse_pseudo_nodes(given.nodes, name);
    name = "GIMBAL_PIN_RESERVE";
    config.machine.reserve = parse_pu_list(given.reserve, name);
    name = "GIMBAL_PIN_METRIC";
    config.metric = parse_metric(given.metric, name);
    if (!config.machine.pseudo_nodes.empty() || !config.machine.reserve.empty()) {
        // Only the machine can say whether it has them. It is read again when the first thread is to be placed.
        name = config.machine.pseudo_nodes.empty() ? "GIMBAL_PIN_RESERVE" : "GIMBAL_PIN_NODES";
        const Machine machine(config.machine);
    }
    return config;
}

std::string bound_by_variable() {
    for (const char* const variable : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
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
