// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/termination_detector.hpp"

#include "team/errors.hpp"

namespace gimbal::mpi {

void TerminationDetector::enter(Refusal why) {
    if (entered_ || !by_messages_) return;
    entered_ = true;
    if (why != Refusal::none) mine_ = Refuser{rank_, why}.code();
    check(MPI_Iallreduce(&mine_, &most_, 1, MPI_INT, MPI_MAX, comm_, &request_), "MPI_Iallreduce");
}

bool TerminationDetector::complete() {
    if (complete_) return true;
    if (!by_messages_) return complete_ = queues_->all_empty();
    int here = 0;
    check(MPI_Test(&request_, &here, MPI_STATUS_IGNORE), "MPI_Test");
    return complete_ = here != 0;
}

Refuser TerminationDetector::refuser() const noexcept {
    return by_messages_ ? Refuser::of(most_) : queues_->refuser();
}

}  // namespace gimbal::mpi
