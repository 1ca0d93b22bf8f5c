// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "decide/choice_tree.hpp"
#include "decide/expected_speeds.hpp"
#include "decide/move_limit.hpp"
#include "decide/occupancy.hpp"
#include "decide/thread_state.hpp"
#include "gimbal/random.hpp"

namespace gimbal::pin {

/// What the parts of Placer share: our threads, the choices that this machine gives them, and what is expected of each.
/// settle() and move() keep occupancy equal to the homes, and what a thread has learnt of a place with that place; so
/// does exchanging the homes of two threads with what they learnt.
/// @threads the owner's
struct PlacementState {
    PlacementState(Settings asked, MachineView view, std::uint64_t seed);
    PlacementState(const PlacementState&) = delete;
    PlacementState& operator=(const PlacementState&) = delete;

    /// Other processors may be used: nobody has a home, nothing is known but where others are.
    void adopt(MachineView view);
    /// What other processes have where: PU -> their threads.
    void set_others(std::map<int, double> load);
    /// To a leaf, from whatever home; what it learns there begins anew, with this weight on that leaf.
    /// @param forget  also the means and benchmarks
    void settle(ThreadState& thread, ChoiceId leaf, double sure, bool forget);
    /// To another choice at a depth, by what it has learnt; its learning goes on at that depth.
    void move(ThreadState& thread, std::size_t depth, std::size_t choice);
    /// Index into `memories`, kNowhere: not among them; of the memory beside which a thread runs.
    [[nodiscard]] std::size_t memory_index(int memory) const noexcept;
    [[nodiscard]] std::size_t memory_near(const ThreadState& thread) const noexcept;

    const Settings settings;
    MachineView machine;
    ChoiceTree tree;
    std::map<int, double> others;  ///< PU -> threads of other processes; those that are nobody's choice, too
    Occupancy occupancy;
    ExpectedSpeeds expected;
    std::vector<int> memories;  ///< that can be chosen, the operating system's numbers, ascending
    std::map<ThreadId, ThreadState> threads;
    ExplorationRate exploration;
    Random random;
    std::uint64_t now = 0;  ///< [ticks]
};

}  // namespace gimbal::pin
