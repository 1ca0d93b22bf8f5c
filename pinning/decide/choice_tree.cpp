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

}  // namespace

ChoiceTree::ChoiceTree(const MachineView& machine, std::span<const Level> levels, std::size_t group)
    : depth_(levels.size()), memory_of_(memory_of_pus(machine.root())) {
    assert(!levels.empty() && group >= 1);
    const Place* const root = &machine.root();
    grow(add(kNoChoice, {&root, 1}), *root, levels, group);
    std::set<int> memories;
    for (const ChoiceId leaf : leaves_) {
        if (choices_[leaf].memory_node != kNoMemory) memories.insert(choices_[leaf].memory_node);
    }
    memories_.assign(memories.begin(), memories.end());
}

/// A pseudo-node, or a group of cores, may lie across two memories: then it is beside neither.
int ChoiceTree::memory_beside(const std::vector<int>& pus) const {
    const int first = memory_of_.at(pus.front());
    const bool one = std::all_of(pus.begin(), pus.end(), [&](int pu) { return memory_of_.at(pu) == first; });
    return one ? first : kNoMemory;
}

ChoiceId ChoiceTree::add(ChoiceId parent, std::span<const Place* const> parts) {
    Choice choice;
    choice.parent = parent;
    choice.cores = 0;
    for (const Place* part : parts) {
        const std::vector<int> pus = pus_of(*part);
        choice.pus.insert(choice.pus.end(), pus.begin(), pus.end());
        choice.cores += cores_in(*part);
    }
    std::sort(choice.pus.begin(), choice.pus.end());
    choice.memory_node = memory_beside(choice.pus);
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
    if (levels.size() > 1 || group == 1 || level < Level::core) {
        for (const Place* const& part : parts) grow(add(id, {&part, 1}), *part, levels.subspan(1), group);
        return;
    }
    // Without a level of nodes neighbours may be beside different memories: a group is not torn between two.
    std::span<const Place* const> left(parts);
    while (!left.empty()) {
        const int memory = memory_beside(pus_of(*left.front()));
        std::size_t alike = 1;
        while (alike < left.size() && memory_beside(pus_of(*left[alike])) == memory) ++alike;
        add_groups(id, left.first(alike), group);
        left = left.subspan(alike);
    }
}

/// As equal as possible: 5 cores in groups of 2 are 2, 2 and 1, 7 in groups of 3 are 3, 2 and 2.
void ChoiceTree::add_groups(ChoiceId id, std::span<const Place* const> parts, std::size_t group) {
    const std::size_t bundles = (parts.size() + group - 1) / group;
    for (std::size_t b = 0; b < bundles; ++b) {
        const std::size_t begin = (b * parts.size() + bundles - 1) / bundles;
        const std::size_t end = ((b + 1) * parts.size() + bundles - 1) / bundles;
        leaves_.push_back(add(id, parts.subspan(begin, end - begin)));
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
