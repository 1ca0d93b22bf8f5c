// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "decide/choice_tree.hpp"
#include "decide/level_learner.hpp"
#include "decide/memory_learner.hpp"
#include "decide/move_limit.hpp"
#include "decide/why.hpp"

namespace gimbal::pin {

/// A thread, by a number that its owner gives.
using ThreadId = std::uint64_t;

/// Whose placement changes, and why.
using Changes = std::map<ThreadId, Why>;

/// What one thread showed since the last tick.
struct Sample {
    ThreadId thread = 0;
    double speed = 0;        ///< instructions, progress or processor time per second; any unit, the same for all
    bool valid = true;       ///< false: blocked, or measured over less than half a period; teaches nothing
    int pu = -1;             ///< where it was last seen, the operating system's number; < 0: not known
    double cpu_share = -1;   ///< processor time over wall time, [0, 1]; < 0: not known
    double wait_share = -1;  ///< time ready but without a processor over wall time, [0, 1]; < 0: not known
    int memory = kNoMemory;  ///< where its pages are, the operating system's number; kNoMemory: not looked at
};

/// Where one thread's pages are, and what decides it. Memories by the operating system's numbers.
/// @threads the owner's
struct ThreadMemory {
    ThreadMemory(const Settings& settings, std::size_t its_delay)
        : limit(settings.memory_dwell, settings.memory_moves, ticks_per_minute(settings.sample_s)),
          learner(settings, its_delay),
          late(its_delay) {}

    MoveBackoff limit;
    MemoryLearner learner;     ///< asked only where memory is learnt
    std::size_t late;          ///< spreads the rule's decisions over its period
    int seen = kNoMemory;      ///< where the operating system said that they are
    int bound = kNoMemory;     ///< what was last said of it
    int to_bind = kNoMemory;   ///< to be named in the next decision; kUnbind: given back
    Why why = Why::kept;       ///< of that
    std::size_t settling = 0;  ///< samples that a move of pages spoils
    std::size_t moves = 0;     ///< to another memory [count]
};

/// One thread's place in the tree of choices, and a learner for each level on the way to it.
/// @threads the owner's
struct ThreadState {
    ThreadState(const Settings& settings, std::size_t late) : memory(settings, late) {
        for (const Resource& resource : settings.resources) levels.emplace_back(resource, settings, late);
    }

    ChoiceId home = kNoChoice;         ///< a leaf; where it runs, or, while released, would run
    int seen_pu = -1;                  ///< where the operating system last had it; < 0: not known
    std::vector<LevelLearner> levels;  ///< [depth of the tree], outermost first
    ThreadMemory memory;               ///< where its pages are
    bool told_released = true;         ///< what was last said of it ...
    ChoiceId told_home = kNoChoice;    ///< ... and to which leaf it was sent
    Why why = Why::joined;             ///< of that
    double window = 0;                 ///< sum of speeds in this window of the guard
    std::size_t windowed = 0;          ///< of that sum [ticks]
    std::size_t moves = 0;             ///< decisions that changed its leaf [count]
};

}  // namespace gimbal::pin
