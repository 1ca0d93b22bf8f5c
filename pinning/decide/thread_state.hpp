// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "decide/choice_tree.hpp"
#include "decide/level_learner.hpp"
#include "decide/why.hpp"

namespace gimbal::pin {

/// A thread, by a number that its owner gives.
using ThreadId = std::uint64_t;

/// One thread's place in the tree of choices, and a learner for each level on the way to it.
/// @threads the owner's
struct ThreadState {
    ChoiceId home = kNoChoice;         ///< a leaf; where it runs, or, while released, would run
    int seen_pu = -1;                  ///< where the operating system last had it; < 0: not known
    std::vector<LevelLearner> levels;  ///< [depth of the tree], outermost first
    int bound = kNoMemory;             ///< memory that it was last bound to
    int to_bind = kNoMemory;           ///< memory to name in the next decision
    bool told_released = true;         ///< what was last said of it ...
    ChoiceId told_home = kNoChoice;    ///< ... and to which leaf it was sent
    Why why = Why::joined;             ///< of that
    std::size_t moves = 0;             ///< decisions that changed its leaf [count]
};

}  // namespace gimbal::pin
