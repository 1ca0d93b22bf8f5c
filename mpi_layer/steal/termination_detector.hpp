// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include "steal/node_queues.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// Whether nothing is left in any queue of an execution, and whether a rank refused it. Seen in memory where all ranks
/// are on one node and thieves take for themselves; else by a non-blocking reduction, which is complete when every rank
/// has entered it.
class TerminationDetector {
public:
    /// @param comm  the group's  @param by_seed  the rule `seed`: thieves ask, also on one node
    TerminationDetector(const Team& team, MPI_Comm comm, NodeQueues& queues, bool by_seed)
        : rank_(team.rank()),
          comm_(comm),
          queues_(&queues),
          by_messages_(team.size() > 1 && (by_seed || team.nodes() > 1)) {}
    TerminationDetector(const TerminationDetector&) = delete;
    TerminationDetector& operator=(const TerminationDetector&) = delete;
    ~TerminationDetector() = default;

    /// Whether this rank must say when it has given everything out: enter().
    [[nodiscard]] bool by_messages() const noexcept { return by_messages_; }
    /// This rank has given everything out. Local; later calls do nothing. @param why  it had no part in it, if so
    /// @errors gimbal::Error(mpi)
    void enter(Refusal why = Refusal::none);
    /// Whether all ranks have, and what they gave was received. Never waits. @pre enter() if by_messages()
    /// @errors gimbal::Error(mpi)
    [[nodiscard]] bool complete();
    /// A rank that refused the execution, if any did. @pre complete()
    [[nodiscard]] Refuser refuser() const noexcept;

private:
    int rank_;
    MPI_Comm comm_;
    NodeQueues* queues_;
    bool by_messages_;
    bool entered_ = false;
    bool complete_ = false;
    int mine_ = -1;  // Refuser::code(), if it refuses
    int most_ = -1;  // of all ranks
    MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace gimbal::mpi
