// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if __cplusplus < 201709L
#error "This header needs C++20: compile with -std=c++20"
#endif

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gimbal/api.h"
#include "gimbal/error.hpp"
#include "gimbal/mpi/built_with.h"
#include "gimbal/steal_record.h"

namespace gimbal::mpi {

/// What a program does with its items. Items of a rank have numbers [0, owned). All callbacks run on the thread that
/// calls StealLoop::run() and must not use the loop.
struct StealWork {
    /// Run own items [first, first + count).
    std::function<void(std::int64_t first, std::int64_t count)> run;
    /// Append what another rank needs to run own items [first, first + count).
    std::function<void(std::int64_t first, std::int64_t count, std::vector<std::byte>& items)> pack;
    /// Run items that pack() packed on their owner, and append their results.
    /// @param owner  rank of the owner  @param first, count  their numbers there
    std::function<void(int owner, std::int64_t first, std::int64_t count, std::span<const std::byte> items,
                       std::vector<std::byte>& results)>
        run_stolen;
    /// Take in the results of own items that another rank ran. Not set: results are not sent.
    std::function<void(std::int64_t first, std::int64_t count, std::span<const std::byte> results)> accept;
};

/// How thieves go about it. Must be the same on all ranks.
struct StealOptions {
    enum class Rule : std::uint8_t {
        configured,  ///< GIMBAL_MPI_STEAL
        nearest,     ///< the fullest on this node, then other nodes at random; no coordinator
        seed         ///< a coordinator names a random victim that has not been a thief in this execution
    };
    Rule rule = Rule::configured;
    double ratio = 0;              ///< part of what the victim has left, in (0, 1]; 0: GIMBAL_MPI_STEAL_RATIO; -1: the
                                   ///< agent `steal-ratio` chooses; -2: a fair share
    std::int64_t run_at_once = 0;  ///< items between two looks for thieves [items]; 0: so many as GIMBAL_MPI_POLL_US
                                   ///< allows
};

/// What one execution did on this rank.
using StealRecord = gimbal_steal_record;

/// One execution of a loop over distributed data: every rank owns some items, and ranks that run out of own ones steal
/// from those that have some left. Memory per rank is its own items and what it steals at once, O(N / P).
/// @threads one
class GIMBAL_API StealLoop {
public:
    /// Collective over `comm` when a name is first used on it; local afterwards.
    /// @param owned  items of this rank [items], >= 0; may differ from rank to rank
    /// @errors as for Loop, also where rule, agent or `accept` are not the same on all ranks when they are first used;
    ///         wrong_use if run, pack or run_stolen is missing or owned is negative. Then this rank has no
    ///         part in this execution, and run() of the other ranks says wrong_use at its end
    StealLoop(MPI_Comm comm, std::string_view name, std::int64_t owned, StealWork work,
              const StealOptions& options = {});
    ~StealLoop();
    StealLoop(StealLoop&&) noexcept;
    StealLoop& operator=(StealLoop&&) = delete;
    StealLoop(const StealLoop&) = delete;
    StealLoop& operator=(const StealLoop&) = delete;

    /// Run until no rank has items left to steal and all results of own items have arrived. All ranks must call it; it
    /// is not a barrier beyond that.
    /// @errors gimbal::Error(mpi); wrong_use when called twice, if another rank's arguments were wrong, or if it ended
    /// MPI or freed the communicator instead, or if this rank did so before or in a callback, which ends the loop
    /// there; what a callback throws, once nobody waits for this rank
    StealRecord run();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gimbal::mpi
