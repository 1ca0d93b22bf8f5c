// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "decide/machine_view.hpp"
#include "machine/inventory.hpp"

namespace gimbal::pin {

/// What the user says about the machine.
struct MachineOptions {
    std::string synthetic;                       ///< hwloc's words for a made-up machine: a dry run
    std::vector<std::vector<int>> pseudo_nodes;  ///< nodes of the user's (parse_pseudo_nodes())
    std::vector<int> reserve;                    ///< PUs that no thread is given (parse_pu_list())
    pid_t witness = 0;  ///< a thread that nobody pins; its mask is the process's. 0: the caller
};

/// What Machine::refresh() found. All ascending, by the operating system's numbers.
struct MachineChange {
    std::vector<int> gone;  ///< allowed before, not now
    std::vector<int> come;  ///< allowed now, not before
    [[nodiscard]] bool any() const noexcept { return !gone.empty() || !come.empty(); }
    [[nodiscard]] std::string text() const;  ///< in words, empty if nothing changed
};

/// The machine that threads are placed on: its tree, and which part of it this process may use.
///
/// The allowed set is read from the mask of a witness, a thread that nobody pins (the manager), and from the control
/// group. The main thread is no witness once it is pinned.
/// @threads one at a time: the owner locks  @cost construction: milliseconds; refresh: tens of microseconds
/// @source reference on placement, sections 0 and 2; test: tests/unit/pinning/machine/machine_test.cpp
class Machine {
public:
    /// @errors as read_inventory(); gimbal::Error(invalid_option): a pseudo-node or the reserve names a PU that does
    ///         not exist, or the reserve leaves nothing; gimbal::Error(unsupported): no allowed PU is known
    explicit Machine(MachineOptions options = {});

    /// False: a dry run; allowed is everything, and nobody may be pinned by this machine.
    [[nodiscard]] bool real() const noexcept { return inventory_.real; }
    [[nodiscard]] const Inventory& inventory() const noexcept { return inventory_; }
    /// All of it, under the user's nodes if there are any.
    [[nodiscard]] const Place& place() const noexcept { return place_; }
    /// Of which this process may use these, ascending; the ceiling for masks.
    [[nodiscard]] const std::vector<int>& allowed() const noexcept { return allowed_; }
    /// The same without the reserve: what threads are given. Never empty.
    [[nodiscard]] const std::vector<int>& usable() const noexcept { return usable_; }
    /// For the decision core: the tree, cut down to usable().
    [[nodiscard]] MachineView view() const { return MachineView(place_, usable_); }

    /// @return nullptr: no such PU  @cost O(1)
    [[nodiscard]] const PuInfo* pu(int os) const noexcept;
    /// The number of the node (of the user's, or the machine's) that holds a PU; -1: none.  @cost O(PUs)
    [[nodiscard]] int node_of(int os) const noexcept;
    /// The memory nearest to a PU, the operating system's number; kNoMemory: none.
    [[nodiscard]] int memory_of(int os) const noexcept;

    /// Reads the allowed set again, and the whole machine if there are PUs that were not online before. When the new
    /// set is empty or unreadable, the old one stays.
    /// @errors none: what cannot be read stays as it was
    [[nodiscard]] MachineChange refresh() noexcept;

    /// What the user should know, oldest first: a reserve that had to be given up, a tree that lacks a PU.
    [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

private:
    void adopt(Inventory inventory);
    void set_allowed(std::vector<int> allowed);

    MachineOptions options_;
    Inventory inventory_;
    Place place_;
    std::vector<int> allowed_;
    std::vector<int> usable_;
    std::vector<int> index_;  ///< os number -> place in inventory_.pus, or -1
    std::vector<std::string> notes_;
};

}  // namespace gimbal::pin
