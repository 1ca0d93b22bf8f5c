// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "machine/inventory.hpp"

namespace gimbal::pin {

namespace {

/// The order in which first placements go: nodes as the machine numbers them, in them the strongest cores first, but
/// the cores of one cache stay together.
class Order {
public:
    explicit Order(const std::vector<PuInfo>& pus) {
        for (const PuInfo& pu : pus) {
            node_.try_emplace(pu.memory_node, static_cast<int>(node_.size()));
            int& best = strongest_.try_emplace(cache_of(pu), pu.kind).first->second;
            best = std::max(best, pu.kind);
        }
    }
    /// Nodes are numbered in the order of their first processors, memories by the operating system.
    [[nodiscard]] int node(const PuInfo& pu) const { return node_.at(pu.memory_node); }
    [[nodiscard]] bool operator()(const PuInfo& a, const PuInfo& b) const { return key(a) < key(b); }

private:
    static std::pair<int, int> cache_of(const PuInfo& pu) { return {pu.memory_node, pu.cache}; }
    [[nodiscard]] std::tuple<int, int, int, int, int, int, int> key(const PuInfo& pu) const {
        return {node(pu), -strongest_.at(cache_of(pu)), pu.cache, -pu.kind, pu.core, pu.sibling, pu.logical};
    }

    std::map<int, int> node_;
    std::map<std::pair<int, int>, int> strongest_;
};

/// The part of `around` with this level and number, which is the last one if it is there at all; made if it is not.
Place& part(Place& around, Level level, int number) {
    if (around.inside.empty() || around.inside.back().level != level || around.inside.back().number != number)
        around.inside.push_back({level, number, kNoMemory, {}});
    return around.inside.back();
}

/// Caches are a level only where they group several cores; a cache for each core would be the same choice twice.
bool caches_group(const std::vector<PuInfo>& pus) {
    std::map<int, std::set<int>> cores;
    for (const PuInfo& pu : pus) {
        if (pu.cache < 0) return false;
        cores[pu.cache].insert(pu.core);
    }
    return std::any_of(cores.begin(), cores.end(), [](const auto& entry) { return entry.second.size() > 1; });
}

}  // namespace

Place place_tree(const Inventory& inventory) {
    std::vector<PuInfo> pus = inventory.pus;
    const Order order(pus);
    std::sort(pus.begin(), pus.end(), order);
    const bool caches = caches_group(pus);
    Place machine;
    for (const PuInfo& pu : pus) {
        Place* at = &part(machine, Level::node, order.node(pu));
        at->memory_node = pu.memory_node;
        if (caches) at = &part(*at, Level::cache, pu.cache);
        if (pu.core >= 0) at = &part(*at, Level::core, pu.core);
        at->inside.push_back({Level::pu, pu.os, kNoMemory, {}});
    }
    return machine;
}

}  // namespace gimbal::pin
