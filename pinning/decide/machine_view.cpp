// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/machine_view.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "gimbal/error.hpp"

namespace gimbal::pin {

namespace {

void collect(const Place& place, std::vector<int>& pus) {
    if (place.level == Level::pu) pus.push_back(place.number);
    for (const Place& part : place.inside) collect(part, pus);
}

/// The part of a place whose PUs the predicate wants.
template <class Wanted>
std::optional<Place> cut(const Place& place, const Wanted& wanted) {
    if (place.level == Level::pu) return wanted(place.number) ? std::optional<Place>(place) : std::nullopt;
    Place rest{place.level, place.number, place.memory_node, {}};
    for (const Place& part : place.inside) {
        if (std::optional<Place> kept = cut(part, wanted)) rest.inside.push_back(std::move(*kept));
    }
    return rest.inside.empty() ? std::nullopt : std::optional<Place>(std::move(rest));
}

/// Which memory every PU has: that of the innermost place around it that has one.
void note_memory(const Place& place, int memory, std::map<int, int>& of_pu) {
    if (place.memory_node != kNoMemory) memory = place.memory_node;
    if (place.level == Level::pu) of_pu[place.number] = memory;
    for (const Place& part : place.inside) note_memory(part, memory, of_pu);
}

/// The places that are finer than a node, without what is around them but its memory.
void below_nodes(const Place& place, int memory, std::vector<Place>& found) {
    if (place.memory_node != kNoMemory) memory = place.memory_node;
    if (place.level > Level::node) {
        found.push_back(place);
        found.back().memory_node = memory;
        return;
    }
    for (const Place& part : place.inside) below_nodes(part, memory, found);
}

void check_order(const Place& place) {
    for (const Place& part : place.inside) {
        if (part.level <= place.level) throw Error(ErrorCode::wrong_use, "a machine's levels are out of order");
        check_order(part);
    }
}

}  // namespace

std::vector<int> pus_of(const Place& place) {
    std::vector<int> pus;
    collect(place, pus);
    return pus;
}

std::map<int, int> memory_of_pus(const Place& place) {
    std::map<int, int> memory;
    note_memory(place, kNoMemory, memory);
    return memory;
}

Place uniform_machine(int nodes, int cores, int pus) {
    Place machine;
    for (int n = 0; n < nodes; ++n) {
        Place node{Level::node, n, n, {}};
        for (int c = n * cores; c < (n + 1) * cores; ++c) {
            Place core{Level::core, c, kNoMemory, {}};
            for (int p = c * pus; p < (c + 1) * pus; ++p) core.inside.push_back({Level::pu, p, kNoMemory, {}});
            node.inside.push_back(std::move(core));
        }
        machine.inside.push_back(std::move(node));
    }
    return machine;
}

Place with_pseudo_nodes(const Place& machine, std::span<const std::vector<int>> nodes) {
    const std::map<int, int> memory = memory_of_pus(machine);
    std::map<int, std::size_t> home;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n].empty())
            throw Error(ErrorCode::invalid_option, "pseudo-node " + std::to_string(n) + " has no processor");
        for (const int pu : nodes[n]) {
            if (!memory.contains(pu))
                throw Error(ErrorCode::invalid_option, "pseudo-node " + std::to_string(n) + " names processor " +
                                                           std::to_string(pu) + ", which this machine does not have");
            if (!home.emplace(pu, n).second)
                throw Error(ErrorCode::invalid_option, "processor " + std::to_string(pu) + " is in two pseudo-nodes");
        }
    }
    for (const auto& [pu, unused] : memory) home.try_emplace(pu, nodes.size());
    std::vector<Place> parts;
    below_nodes(machine, kNoMemory, parts);
    Place grouped{machine.level, machine.number, kNoMemory, {}};
    for (std::size_t n = 0; n <= nodes.size(); ++n) {
        Place node{Level::node, static_cast<int>(n), kNoMemory, {}};
        for (const Place& part : parts) {
            if (auto kept = cut(part, [&](int pu) { return home.at(pu) == n; }))
                node.inside.push_back(std::move(*kept));
        }
        if (node.inside.empty()) continue;
        const std::vector<int> pus = pus_of(node);
        const int first = memory.at(pus.front());
        const bool shared = std::all_of(pus.begin(), pus.end(), [&](int pu) { return memory.at(pu) == first; });
        node.memory_node = shared ? first : kNoMemory;
        grouped.inside.push_back(std::move(node));
    }
    return grouped;
}

MachineView::MachineView(const Place& machine, std::span<const int> allowed) {
    std::vector<int> sorted(allowed.begin(), allowed.end());
    std::sort(sorted.begin(), sorted.end());
    auto kept = cut(machine, [&](int pu) { return std::binary_search(sorted.begin(), sorted.end(), pu); });
    if (!kept)
        throw Error(ErrorCode::unsupported, "none of the processors that this process may use is in the machine's map",
                    "its affinity mask and the machine's topology contradict each other");
    root_ = std::move(*kept);
    pus_ = pus_of(root_);
    std::sort(pus_.begin(), pus_.end());
    if (const auto twin = std::adjacent_find(pus_.begin(), pus_.end()); twin != pus_.end())
        throw Error(ErrorCode::wrong_use, "processor " + std::to_string(*twin) + " appears twice in a machine");
    check_order(root_);
}

MachineView::MachineView(const Place& machine) : MachineView(machine, pus_of(machine)) {}

bool MachineView::has(int pu) const noexcept {
    return std::binary_search(pus_.begin(), pus_.end(), pu);
}

}  // namespace gimbal::pin
