// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "engine/execution.hpp"
#include "gimbal/plan.hpp"
#include "gimbal/technique.hpp"

namespace gimbal::simulate {

/// What the iterations of a loop cost on a worker of speed 1.
class Work {
public:
    virtual ~Work() = default;
    /// Time of the iterations in a range [ticks]. @cost O(1)
    [[nodiscard]] virtual double time(Range range) const noexcept = 0;
    /// The same for a range that is run as a number of chunks of equal size, where that matters.
    [[nodiscard]] virtual double time(Range range, std::uint64_t /*chunks*/) const noexcept { return time(range); }
};

/// No limit on virtual time.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Who runs a loop in virtual time, and what drawing chunks costs. Times in ticks. A worker's last draw, which finds
/// nothing, costs what any other costs, except under Claim::owned.
struct Machine {
    std::span<const double> slowness = {};  ///< [P] factor on the time of what a worker executes; empty: 1
    double dispatch = 0;                    ///< of one draw from a shared counter or queue
    double serial = 0;                      ///< part of that for which the counter is held: one worker after the other
    double own_dispatch = 0;                ///< of one draw that asks nobody (own steps of a plan)
    double queue_dispatch = 0;              ///< of one draw from the own queue, which others seldom look at
    double stamp = 0;                       ///< on top, when a technique sizes chunks from times, or chunks are timed
    double chunk_noise = 0;                 ///< relative deviation of the time of a chunk, independent for each
    double interruptions = 0;               ///< per tick and worker: something else takes the core
    double interruption = 0;                ///< how long [ticks]
    std::uint64_t seed = 0;                 ///< of noise and interruptions
    double until = kNoLimit;                ///< nobody draws from then on, where one counter is drawn from [ticks]
    std::uint64_t most_events = 0;  ///< bundle draws of equal chunks to about so many; wrong by a bundle; 0: never
};

/// What a virtual execution showed.
struct Outcome {
    double loop_time = 0;      ///< when the last worker was done [ticks]
    double busy_mean = 0;      ///< mean time of the workers [ticks]
    std::uint64_t chunks = 0;  ///< [count]
    std::uint64_t iterations =
        0;  ///< that ran, the first ones of the loop: fewer than N only if Machine::until was reached
};

/// Executes plans in virtual time as Execution does in real time: the same techniques size the chunks, the same queues
/// are drawn from; who is free first draws first, ties go to the lower number. Deterministic.
/// @threads one at a time; keeps its storage from run to run
class EventLoop {
public:
    EventLoop();
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    /// @param technique  whose plan it is
    /// @param config     what is noted in slots (timed, sampled, split)
    /// @param slots      [P] out: as Execution leaves them, clock from 0; empty: nothing is noted
    /// @errors std::bad_alloc  @cost O(chunks log P)
    Outcome run(const Technique& technique, const Plan& plan, const Work& work, const Machine& machine,
                const ExecutionConfig& config = {}, std::span<WorkerSlot> slots = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gimbal::simulate
