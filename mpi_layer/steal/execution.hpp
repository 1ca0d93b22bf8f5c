// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "steal/agreed_ratio.hpp"
#include "steal/context.hpp"
#include "steal/coordinator.hpp"
#include "steal/owner.hpp"
#include "steal/termination_detector.hpp"
#include "steal/thief.hpp"

namespace gimbal::mpi {

/// What one execution asks for.
struct StealRequest {
    StealWork work;
    std::int64_t owned = 0;
    std::int64_t run_at_once = 0;
    bool by_seed = false;  ///< the rule `seed`
    double ratio = 0;      ///< as StealView has it; < 0: the agent chooses

    [[nodiscard]] bool by_agent() const noexcept { return ratio < 0; }
};

/// One execution of a steal loop on one rank, from the opening of its queue until it may leave.
///
/// It may leave when nothing is left in any queue, the results of its own items are here, and what it stole has run.
/// Where that queues are empty is not seen in memory, each rank says so (TerminationDetector) when its own queue is
/// empty and whatever it gave to thieves that asked has been received (synchronous sends). So when all have, a thief
/// has all it will ever get: questions that are still open will be answered with "nothing", and it need not wait for
/// that.
class StealExecution {
public:
    /// @param comm  the group's  @param agreed  where the agent's ratio comes from; used if request.by_agent()
    StealExecution(StealContext& context, const StealRequest& request, MPI_Comm comm, Coordinator& coordinator,
                   AgreedRatio& agreed);
    StealExecution(const StealExecution&) = delete;
    StealExecution& operator=(const StealExecution&) = delete;
    ~StealExecution() = default;

    /// @errors gimbal::Error(mpi); GroupGone. What a callback threw, or that another rank refused, is in the context.
    void run();

    /// The program is inside a callback, and ends MPI or frees the communicator: nothing more runs here, and run() is
    /// left if that callback returns. Never waits.
    void close();
    /// After close(): answer the others. Never waits, calls no callback.
    /// @return whether this rank may leave  @errors gimbal::Error(mpi)
    [[nodiscard]] bool serve_to_end();

    /// A message about this execution, other than to the coordinator. Calls no callback.
    void take(StealMessage&& message);

    /// Whether nothing is left in this rank's own queue.
    [[nodiscard]] bool nothing_to_give() const noexcept { return owner_.empty(); }

private:
    [[nodiscard]] bool step();
    [[nodiscard]] bool finished();
    [[nodiscard]] bool all_queues_empty();
    void learn_ratio();

    StealContext& context_;
    AgreedRatio* agreed_;  // null: the ratio is fixed
    Owner owner_;
    Thief thief_;
    TerminationDetector all_out_;
    bool all_empty_ = false;
};

}  // namespace gimbal::mpi
