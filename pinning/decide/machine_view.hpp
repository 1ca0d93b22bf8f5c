// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "gimbal/pin_settings.hpp"

namespace gimbal::pin {

/// No memory of its own.
inline constexpr int kNoMemory = -1;
/// In decisions: the memory follows the thread that touches it, as before anybody bound it.
inline constexpr int kUnbind = -2;

/// One part of a machine, as plain data: the reader of the machine fills it in, deciders only read it.
struct Place {
    Level level = Level::machine;
    int number = 0;               ///< of a PU: the operating system's; of others: logical, for words only
    int memory_node = kNoMemory;  ///< of a node: the operating system's number of its memory, which may have gaps
    std::vector<Place> inside;    ///< of a finer level than this one; a level may be missing; empty in a PU
};

/// All PUs beneath, by the operating system's numbers, in the order of the tree.
[[nodiscard]] std::vector<int> pus_of(const Place& place);

/// PU -> the memory of the innermost place around it that has one, the operating system's numbers; kNoMemory: none has.
[[nodiscard]] std::map<int, int> memory_of_pus(const Place& place);

/// A machine in which everything is alike, PUs numbered in order: for tests, dry runs and machines nobody can read.
/// @param nodes  @param cores  per node  @param pus  per core; all >= 1
[[nodiscard]] Place uniform_machine(int nodes, int cores, int pus = 1);

/// The same machine under nodes of the user's: node i holds the PUs of nodes[i], and a last one what nobody named. A
/// core whose PUs go to two nodes becomes two. A node has memory only if all its PUs share one; its parts keep theirs.
/// @errors gimbal::Error(invalid_option): a PU is named twice or does not exist, or a node is empty
[[nodiscard]] Place with_pseudo_nodes(const Place& machine, std::span<const std::vector<int>> nodes);

/// What the decision core may use of a machine: the tree, cut down to the allowed PUs.
/// @threads immutable  @cost construction: O(PUs log PUs)
/// @source reference on placement, section 2 (mask = affinity and cgroup); test:
/// tests/unit/pinning/decide/machine_test.cpp
class MachineView {
public:
    /// @param allowed  the operating system's numbers; those that the machine does not have are ignored
    /// @errors gimbal::Error(unsupported): no PU is left; gimbal::Error(wrong_use): a PU appears twice, or the levels
    ///         are not ordered
    MachineView(const Place& machine, std::span<const int> allowed);
    /// Everything is allowed.
    explicit MachineView(const Place& machine);

    [[nodiscard]] const Place& root() const noexcept { return root_; }
    /// Ascending.
    [[nodiscard]] const std::vector<int>& pus() const noexcept { return pus_; }
    [[nodiscard]] bool has(int pu) const noexcept;

private:
    Place root_;
    std::vector<int> pus_;
};

}  // namespace gimbal::pin
