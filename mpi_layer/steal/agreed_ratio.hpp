// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>

#include "team/team.hpp"

namespace gimbal::mpi {

/// The steal ratio that the agent `steal-ratio` chooses, the same on all ranks in the same execution. Rank 0 has the
/// agent. It says the ratio of the next execution when it enters this one, and what the ranks measured comes to it
/// while the next one runs: both by non-blocking collectives, so nobody waits for a rank that is not there yet; but the
/// first execution's ratio is known when rank 0 enters it.
/// @threads one
class AgreedRatio {
public:
    /// Local. @param comm  the group's
    AgreedRatio(Team& team, MPI_Comm comm, std::string name) : team_(team), comm_(comm), name_(std::move(name)) {}

    /// This rank enters an execution that goes by the agent. All ranks must, in the same ones; local.
    void begin();
    /// @return whether ratio() is known; never waits  @errors gimbal::Error(mpi)
    [[nodiscard]] bool known();
    /// In (0, 1].
    [[nodiscard]] double ratio() const noexcept { return ratio_; }
    /// This rank leaves the execution, when all have entered it. @param elapsed_s  in it; infinite if it failed [s]
    void end(double elapsed_s, double busy_s);

    /// No execution follows. Waits for ranks that have not got here; collective.
    void finish();

private:
    void learn();
    void wait(MPI_Request& request);

    Team& team_;
    MPI_Comm comm_;
    std::string name_;
    void* agent_ = nullptr;  // rank 0
    double ratio_ = 0;
    double next_ = 0;  // 0: not known
    // Rank 0: the agent's numbers of this execution, of the next one, and of the one that gathering_ is about.
    std::uint64_t step_ = 0, next_step_ = 0, measured_step_ = 0;
    std::array<double, 2> said_{};  // ratio of this execution and of the next one
    std::array<double, 2> longest_{}, all_longest_{};
    double busy_ = 0, all_busy_ = 0;
    MPI_Request saying_ = MPI_REQUEST_NULL;
    std::array<MPI_Request, 2> gathering_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool measured_ = false;  // gathering_ is, or was, about an execution that the agent has not heard of
};

}  // namespace gimbal::mpi
