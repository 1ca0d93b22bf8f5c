// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/agreed_ratio.hpp"

#include <limits>

#include "team/errors.hpp"
#include "team/yield.hpp"

namespace gimbal::mpi {

void AgreedRatio::begin() {
    const bool root = team_.rank() == 0;
    if (root) {
        if (!agent_) agent_ = gimbal_steal_agent(name_.c_str(), static_cast<std::uint32_t>(team_.size()));
        if (next_ == 0) next_ = gimbal_steal_choose(agent_, &next_step_);
        said_[0] = next_;
        step_ = next_step_;
        said_[1] = gimbal_steal_choose(agent_, &next_step_);
    }
    ratio_ = root ? said_[0] : next_;
    check(MPI_Ibcast(said_.data(), 2, MPI_DOUBLE, 0, comm_, &saying_), "MPI_Ibcast");
}

bool AgreedRatio::known() {
    if (ratio_ > 0) return true;
    int here = 0;
    check(MPI_Test(&saying_, &here, MPI_STATUS_IGNORE), "MPI_Test");
    if (here) ratio_ = said_[0];
    return here != 0;
}

void AgreedRatio::wait(MPI_Request& request) {
    Yielding idle;
    for (;;) {
        int here = 0;
        check(MPI_Test(&request, &here, MPI_STATUS_IGNORE), "MPI_Test");
        if (here) return;
        Team::poll_all();
        idle.nothing();
    }
}

void AgreedRatio::learn() {
    for (MPI_Request& request : gathering_) wait(request);
    if (measured_ && team_.rank() == 0)
        gimbal_steal_learn(agent_, measured_step_, all_longest_[0], all_longest_[1], all_busy_ / team_.size());
    measured_ = false;
}

void AgreedRatio::end(double elapsed_s, double busy_s) {
    wait(saying_);
    ratio_ = said_[0];
    next_ = said_[1];
    learn();
    longest_ = {elapsed_s, busy_s};
    busy_ = busy_s;
    measured_step_ = step_;
    check(MPI_Ireduce(longest_.data(), all_longest_.data(), 2, MPI_DOUBLE, MPI_MAX, 0, comm_, &gathering_[0]),
          "MPI_Ireduce");
    check(MPI_Ireduce(&busy_, &all_busy_, 1, MPI_DOUBLE, MPI_SUM, 0, comm_, &gathering_[1]), "MPI_Ireduce");
    measured_ = true;
}

void AgreedRatio::finish() {
    wait(saying_);
    learn();
    if (next_ == 0 || team_.rank() != 0) return;
    // Chosen in vain: it shows nothing, and is a step of what is recorded all the same.
    gimbal_steal_learn(agent_, next_step_, std::numeric_limits<double>::infinity(), 0, 0);
    next_ = 0;
}

}  // namespace gimbal::mpi
