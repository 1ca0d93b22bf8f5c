// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "engine/decision.hpp"
#include "gimbal/plan.hpp"
#include "simulate/event_loop.hpp"

namespace gimbal::simulate {

/// Ranks of threads. A rank draws a chunk of the loop, its threads share it out as a loop of their own, and the team
/// meets before the rank draws again.
struct NestedMachine {
    std::uint32_t ranks = 1;    ///< R [count], >= 1; 1: there is no rank level
    std::uint32_t threads = 1;  ///< T of each rank [count], >= 1; 1: there is no thread level
    Machine between = {};       ///< the ranks: slowness [R] of each rank with its threads, what a chunk costs a rank
    Machine within = {};        ///< the threads of each rank: slowness [T], what a chunk costs a thread; most_events
                                ///< holds for each rank chunk
    /// What the ranks' techniques that go by it know of the whole loop; nullptr: they plan as in a first execution.
    const CostProfile* profile = nullptr;
    double team_barrier = 0;  ///< at the end of each rank chunk, if T > 1 [ticks]
    std::uint64_t least = 0;  ///< minimum chunk of the ranks where none is named (asked_least()) [iterations]; 0: none
};

/// What the two levels run.
struct NestedSchedule {
    Schedule ranks;
    Schedule threads;
};

/// What a nested execution showed.
struct NestedOutcome {
    double loop_time = 0;           ///< when the last rank was done [ticks]
    double rank_mean = 0;           ///< mean time of the ranks [ticks]
    double team_time = 0;           ///< loop times of the teams, over all rank chunks; 0 without a thread level [ticks]
    double thread_mean = 0;         ///< the same for the mean times of their threads [ticks]
    std::uint64_t rank_chunks = 0;  ///< [count]
    std::uint64_t thread_chunks = 0;  ///< [count]
    std::uint64_t draws = 0;          ///< that were simulated one by one, the last ones, which find nothing, included
    std::uint64_t iterations = 0;     ///< that ran, the first ones of the part; all unless the limit was reached
};

/// Two levels in virtual time: the event loop of the ranks, and in each of their chunks the event loop of their
/// threads. Both levels have the techniques and plans of a single level, but ranks have no queues: techniques that have
/// nothing else run there as fac2, as on real ranks. The threads of rank chunk [a, b) get iterations a to b of the
/// loop, with the costs that these have there.
/// @threads one at a time; keeps its storage from run to run
class NestedLoop {
public:
    NestedLoop();
    ~NestedLoop();
    NestedLoop(const NestedLoop&) = delete;
    NestedLoop& operator=(const NestedLoop&) = delete;

    /// One execution of iterations [first, end) of a loop. Techniques that go by earlier executions (speeds,
    /// statistics, profiles) plan as in a first one.
    /// @param part  of the loop; `work` is asked for positions in it
    /// @errors std::bad_alloc  @cost O(thread chunks log T + rank chunks log R)
    NestedOutcome run(const NestedSchedule& choice, Range part, const Work& work, const NestedMachine& machine);

private:
    class TeamLoop;
    EventLoop ranks_;
    std::unique_ptr<TeamLoop> team_;
};

}  // namespace gimbal::simulate
