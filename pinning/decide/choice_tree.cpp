// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/choice_tree.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace gimbal::pin {

namespace {

bool holds(const Place& place, Level level) {
    return place.level == level ||
           std::any_of(place.inside.begin(), place.inside.end(), [&](const Place& p) { return holds(p, level); });
}

/// Places of a level within a place; where a branch does not have it, the branch as a whole.
void find(const Place& place, Level level, std::vector<const Place*>& found) {
    if (place.level >= level || !holds(place, level)) {
        found.push_back(&place);
        return;
    }
    for (const Place& part : place.inside) find(part, level, found);
}

/// The PUs of a place, first those that come first in their cores.
std::vector<const Place*> pus_by_rank(const Place& place) {
    std::vector<const Place*> cores;
    find(place, holds(place, Level::core) ? Level::core : Level::pu, cores);
    std::vector<const Place*> pus;
    for (std::size_t rank = 0;; ++rank) {
        const std::size_t before = pus.size();
        for (const Place* core : cores) {
            if (core->level == Level::pu) {
                if (rank == 0) pus.push_back(core);
            } else if (rank < core->inside.size()) {
                pus.push_back(&core->inside[rank]);
            }
        }
        if (pus.size() == before) return pus;
    }
}

double cores_in(const Place& place) {
    if (place.level == Level::core || place.level == Level::pu) return 1;
    double sum = 0;
    for (const Place& part : place.inside) sum += cores_in(part);
    return sum;
}

int memory_of(const Place& place, int around) {
    return place.memory_node == kNoMemory ? around : place.memory_node;
}

}  // namespace

ChoiceTree::ChoiceTree(const MachineView& machine, std::span<const Level> levels, std::size_t group)
    : depth_(levels.size()) {
    assert(!levels.empty() && group >= 1);
    const Place* const root = &machine.root();
    grow(add(kNoChoice, {&root, 1}, root->memory_node), *root, levels, group);
    std::set<int> memories;
    for (const ChoiceId leaf : leaves_) {
        if (choices_[leaf].memory_node != kNoMemory) memories.insert(choices_[leaf].memory_node);
    }
    memories_ = memories.size();
}

ChoiceId ChoiceTree::add(ChoiceId parent, std::span<const Place* const> parts, int memory) {
    Choice choice;
    choice.parent = parent;
    choice.memory_node = memory;
    choice.cores = 0;
    for (const Place* part : parts) {
        const std::vector<int> pus = pus_of(*part);
        choice.pus.insert(choice.pus.end(), pus.begin(), pus.end());
        choice.cores += cores_in(*part);
    }
    std::sort(choice.pus.begin(), choice.pus.end());
    const ChoiceId id = choices_.size();
    if (parent != kNoChoice) {
        choice.depth = choices_[parent].depth + 1;
        choice.place = choices_[parent].inside.size();
        choices_[parent].inside.push_back(id);
    }
    choices_.push_back(std::move(choice));
    return id;
}

void ChoiceTree::grow(ChoiceId id, const Place& place, std::span<const Level> levels, std::size_t group) {
    if (levels.empty()) {
        leaves_.push_back(id);
        return;
    }
    const Level level = levels.front();
    std::vector<const Place*> parts;
    if (level == Level::pu || (level == Level::core && !holds(place, Level::core)))
        parts = pus_by_rank(place);
    else
        find(place, level, parts);
    const int around = choices_[id].memory_node;
    const bool grouped = levels.size() == 1 && group > 1 && level >= Level::core;
    const std::size_t bundles = grouped ? (parts.size() + group - 1) / group : parts.size();
    for (std::size_t b = 0; b < bundles; ++b) {
        // As equal as possible: 5 cores in groups of 2 are 2, 2 and 1, 7 in groups of 3 are 3, 2 and 2.
        const std::size_t begin = (b * parts.size() + bundles - 1) / bundles;
        const std::size_t end = ((b + 1) * parts.size() + bundles - 1) / bundles;
        const std::span<const Place* const> bundle(parts.data() + begin, end - begin);
        const ChoiceId inner = add(id, bundle, memory_of(*bundle.front(), around));
        grow(inner, *bundle.front(), levels.subspan(1), group);
    }
}

ChoiceId ChoiceTree::leaf_of(int pu) const noexcept {
    for (const ChoiceId leaf : leaves_) {
        if (std::binary_search(choices_[leaf].pus.begin(), choices_[leaf].pus.end(), pu)) return leaf;
    }
    return kNoChoice;
}

ChoiceId ChoiceTree::around(ChoiceId id, std::size_t depth) const noexcept {
    while (choices_[id].depth > depth) id = choices_[id].parent;
    return id;
}

}  // namespace gimbal::pin
