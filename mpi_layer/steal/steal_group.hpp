// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gimbal/mpi/steal_loop.hpp"
#include "steal/agreed_ratio.hpp"
#include "steal/coordinator.hpp"
#include "steal/execution.hpp"
#include "steal/mailbox.hpp"
#include "steal/node_queues.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// What the executions of one name on one communicator have in common: queues, messages, the coordinator. Executions
/// are numbered from 0 on every rank alike (the epoch), and every message has its number. What comes too late, when
/// this rank has left that execution, is a question of a thief that no longer waits: it is answered with "nothing".
/// What comes too early is kept.
/// @threads one runs; poll() any, but only the one that runs does anything then
class StealGroup : public Member {
public:
    /// The group of a name. Collective when the name is first used, local afterwards.
    static StealGroup& of(Team& team, std::string_view name);

    StealGroup(Team& team, const std::string& name);
    /// Collective: gets the answers that nobody waited for, so that nothing is pending when MPI ends.
    ~StealGroup() override;

    void poll() override;

    /// The next execution. @errors as StealLoop::run()
    StealRecord run(const StealRequest& request);

    /// This rank's arguments for the next execution cannot be: run() of the others ends in an error, and this rank has
    /// no part in it. Local, unless this rank has just refused another one: then it waits for the others to run that.
    /// @param by_seed, by_agent  as the others run it  @errors gimbal::Error(mpi)
    void refuse(bool by_seed, bool by_agent);

private:
    [[nodiscard]] double look_s() const noexcept { return team_.settings().poll_us * 1e-6; }
    void take(StealLetter&& letter);
    void too_late(const StealLetter& letter);
    void take_early();
    void finish_execution(StealContext& context, const StealRequest& request, double elapsed_s);
    void drain();
    void settle_refused();

    Team& team_;
    std::string name_;
    NodeQueues queues_;
    Mailbox mail_;
    Coordinator coordinator_;
    AgreedRatio agreed_;
    std::recursive_mutex lock_;
    std::uint64_t entered_ = 0;            // executions that this rank has entered
    StealExecution* execution_ = nullptr;  // in progress
    std::vector<StealLetter> early_;
    std::optional<AllOut> refused_;  // the last execution: this rank has refused it, and others may be in it
    bool refused_agent_ = false;     // and the agent waits to hear of it
    bool broken_ = false;            // MPI has failed
};

}  // namespace gimbal::mpi
