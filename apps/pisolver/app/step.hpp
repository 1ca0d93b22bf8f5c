// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"
#include "iteration.hpp"
#include "tally.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// The loop of one time step in three ways. Each is what a user would write.
namespace pisolver {

/// What one step's loop did on this rank.
struct StepRecord {
    double busy_s = 0.0;        ///< in iterations
    std::int64_t chunks = 0;    ///< pieces of the loop that were run here
    std::int64_t attempts = 0;  ///< requests made as a thief
    std::int64_t steals = 0;    ///< of them that brought iterations
    std::int64_t stolen = 0;    ///< iterations of others that were run here
    std::int64_t bytes = 0;     ///< sent and received for stealing
};

/// Runs the loop of one step, adds what it gave to the tally, and what it did to the record.
using Step = std::function<void(Tally&, StepRecord&)>;

/// Steps of iterations by number: all of them on every rank, or those of one rank.
using WorkView = std::span<const std::int64_t>;

/// Run a piece of the loop; its time and that it was one more go into the record.
template <class Piece>
void timed(StepRecord& record, const Piece& piece) {
    record.busy_s += apps::seconds_of(piece);
    ++record.chunks;
}

/// Without Gimbal: this rank runs one range, always the same. @param work  [range.size()]; outlives the step
Step static_step(Range range, WorkView work, Iteration iteration);

/// Replicated data: ranks draw chunks. @param work  [N]   @param schedule  empty: GIMBAL_MPI_SCHEDULE
Step loop_step(WorkView work, Iteration iteration, const std::string& schedule);

/// Distributed data: ranks run their own iterations, and steal when those have run out.
/// @param own  numbers of this rank's iterations   @param work  [own.size()]
Step steal_step(Range own, WorkView work, Iteration iteration);

}  // namespace pisolver
