// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "decide/machine_view.hpp"

namespace gimbal::pin {

/// Index of a choice in its tree; 0 is the root, the whole machine.
using ChoiceId = std::size_t;
inline constexpr ChoiceId kNoChoice = static_cast<ChoiceId>(-1);

/// One thing a thread can be given: a node, a cache's cores, a core, a group of cores, a PU.
struct Choice {
    ChoiceId parent = kNoChoice;
    std::size_t place = 0;              ///< its index among the parent's choices
    std::size_t depth = 0;              ///< 0: root
    std::vector<ChoiceId> inside = {};  ///< what can be chosen next; empty in a leaf
    std::vector<int> pus = {};          ///< the operating system's numbers, ascending
    int memory_node = kNoMemory;        ///< memory that all of its PUs are nearest to; kNoMemory: there is no such one
    double cores = 1;                   ///< physical cores, what it can do at once
};

/// The nested choices that a list of levels makes of a machine: of any depth, one level of choices per resource.
///
/// A level that the machine does not have is one choice, and so decides nothing; PUs outside of cores are cores. The
/// leaves can be groups of k neighbours: then a thread gets k cores, and the operating system balances within them. No
/// group lies across two memories.
/// @threads immutable  @cost construction: O(PUs times levels)
/// @source seed 001, section 4.4.2, and its future work (groups); test: tests/unit/pinning/decide/tree_test.cpp
class ChoiceTree {
public:
    /// @param levels  strictly ascending, >= 1 of them
    /// @param group   k, cores (or PUs, if those are the last level) per leaf, >= 1
    ChoiceTree(const MachineView& machine, std::span<const Level> levels, std::size_t group);

    [[nodiscard]] const Choice& at(ChoiceId id) const noexcept { return choices_[id]; }
    [[nodiscard]] std::size_t size() const noexcept { return choices_.size(); }
    /// Levels of choices, = levels.size().
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    /// Node by node; where PUs are leaves, the first ones of all cores of a node come before their siblings.
    [[nodiscard]] const std::vector<ChoiceId>& leaves() const noexcept { return leaves_; }
    /// The leaf that holds a PU; kNoChoice if none does.
    [[nodiscard]] ChoiceId leaf_of(int pu) const noexcept;
    /// The choice around one at a depth that is not below it.
    [[nodiscard]] ChoiceId around(ChoiceId id, std::size_t depth) const noexcept;
    /// The memories beside which threads can run, the operating system's numbers, ascending.
    [[nodiscard]] const std::vector<int>& memories() const noexcept { return memories_; }

private:
    ChoiceId add(ChoiceId parent, std::span<const Place* const> parts);
    [[nodiscard]] int memory_beside(const std::vector<int>& pus) const;
    void add_groups(ChoiceId id, std::span<const Place* const> parts, std::size_t group);
    void grow(ChoiceId id, const Place& place, std::span<const Level> levels, std::size_t group);

    std::vector<Choice> choices_;
    std::vector<ChoiceId> leaves_;
    std::size_t depth_;
    std::map<int, int> memory_of_;  ///< PU -> memory
    std::vector<int> memories_;
};

}  // namespace gimbal::pin
