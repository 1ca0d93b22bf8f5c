// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
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
#include "team/meeting.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// What the executions of one name on one communicator have in common: queues, messages, the coordinator. Executions
/// are numbered from 0 on every rank alike (the epoch), and every message has its number. What comes too late, when
/// this rank has left that execution, is a question of a thief that no longer waits: it is answered with "nothing".
/// What comes too early is kept.
/// @threads one runs; poll() any, but only the one that runs does anything then
class StealGroup : public Member {
public:
    /// The group of a name, and of what all ranks must have in common beside it, for it decides who sends what to whom:
    /// the rule, and whether the agent chooses the ratio. Collective when these are first used, local afterwards.
    /// @param request  need not be sound; at the first use the ranks must agree on whether they accept results, too
    /// @errors gimbal::Error: wrong_use, on all ranks, if they do not agree; mpi
    static StealGroup& of(Team& team, std::string_view name, const StealRequest& request);

    StealGroup(Team& team, const std::string& name, const StealRequest& request);
    /// Collective: gets the answers that nobody waited for, so that nothing is pending when MPI ends.
    ~StealGroup() override;

    void poll() override;
    /// Others may wait in an execution that this rank will not enter: it refuses that one. Before, it closes the one
    /// that it is in, if the program is inside a callback.
    void retire() override;
    void abandon() noexcept override { broken_ = true; }

    /// The next execution. @errors as StealLoop::run(); GroupGone: a callback ended MPI or freed the communicator
    StealRecord run(const StealRequest& request);

    /// This rank's arguments for the next execution cannot be: run() of the others ends in an error, and this rank has
    /// no part in it. Local, unless this rank has just refused another one: then it waits for the others to run that.
    /// @errors gimbal::Error(mpi)
    void refuse(Refusal why);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    /// What the executions of this group alone send by collective calls: then it does not matter in which order ranks
    /// that do not agree come to those of others.
    class Comm {
    public:
        explicit Comm(MPI_Comm of) : comm_(duplicate(of)) {}
        ~Comm() { MPI_Comm_free(&comm_); }
        Comm(const Comm&) = delete;
        Comm& operator=(const Comm&) = delete;
        [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

    private:
        MPI_Comm comm_;
    };
    [[nodiscard]] double look_s() const noexcept { return team_.settings().poll_us * 1e-6; }
    void take(StealMessage&& message);
    void too_late(const StealMessage& message);
    void take_early();
    void try_to_retire();
    void finish_execution(StealContext& context, const StealRequest& request, double elapsed_s);
    void drain();
    void catch_up();
    void settle_refused();

    Team& team_;
    std::string name_;
    bool by_seed_;
    bool by_agent_;
    Comm comm_;
    NodeQueues queues_;
    Mailbox mail_;
    Coordinator coordinator_;
    AgreedRatio agreed_;
    std::shared_ptr<std::recursive_mutex> lock_ = std::make_shared<std::recursive_mutex>();  // run() may outlive this
    std::uint64_t entered_ = 0;            // executions that this rank has entered
    StealExecution* execution_ = nullptr;  // in progress
    std::vector<StealMessage> early_;
    std::optional<TerminationDetector>
        refused_;            // the last execution: this rank has refused it, and others may be in it
    bool retiring_ = false;  // the team goes, and this rank has not refused the next execution yet
    bool broken_ = false;    // MPI has failed
};

}  // namespace gimbal::mpi
