// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>

#include "decide/guard.hpp"
#include "decide/memory_placement.hpp"
#include "decide/placement_state.hpp"

namespace gimbal::pin {

/// What happens to all threads at once when the guard turns: a trial begins, or the best-known placement comes back.
/// @threads the owner's
class GuardTransition {
public:
    GuardTransition(PlacementState& state, MemoryPlacement& memory) noexcept : state_(&state), memory_(&memory) {}

    /// The window that has just ended was the trial's best.
    void remember_best();
    /// The machine, or a thread, is another.
    void forget() { best_.clear(); }
    void forget(ThreadId thread) { best_.erase(thread); }

    /// @param released  the operating system places the threads from now on
    void apply(const Guard& guard, bool fresh_trial, bool released, Changes& changes);

private:
    void begin_trial();

    PlacementState* state_;
    MemoryPlacement* memory_;
    std::map<ThreadId, std::pair<ChoiceId, int>> best_;  ///< leaf and memory of each in the best-known placement
    std::size_t trials_ = 0;                             ///< begun from scratch
};

}  // namespace gimbal::pin
