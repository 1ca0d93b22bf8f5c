// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/foreman.hpp"

#include <algorithm>

#include "gimbal/error.hpp"
#include "gimbal/loop.h"
#include "gimbal/rank_loop.h"
#include "loop/foreman_execution.hpp"

namespace gimbal::mpi {

namespace {

constexpr double kPatience_s = 0.1;  // for messages of ranks that have arrived at the end themselves

RankGroups groups_of(const Team& team, bool sharing) {
    RankGroups groups;
    groups.ranks_of.resize(static_cast<std::size_t>(sharing ? team.nodes() : team.size()));
    for (int rank = 0; rank < team.size(); ++rank) {
        const int group = sharing ? team.node_of()[static_cast<std::size_t>(rank)] : rank;
        groups.group_of.push_back(static_cast<std::uint32_t>(group));
        groups.ranks_of[static_cast<std::size_t>(group)].push_back(static_cast<std::uint32_t>(rank));
    }
    return groups;
}

}  // namespace

ForemanTransport::ForemanTransport(Team& team, const std::string& name, bool sharing)
    : team_(&team),
      loop_name_(name),
      router_(&MessageRouter::of(team)),
      number_(0),
      poll_interval_(team.settings().poll_us * 1e-6 / gimbal_rank_tick_s()) {
    if (team.rank() == 0) {
        site_ = gimbal_rank_site(name.c_str(), static_cast<std::uint32_t>(team.size()));
        groups_ = groups_of(team, sharing);
        moves_.resize(static_cast<std::size_t>(team.size()));
    }
    number_ = router_->enrol(*this);
    router_->deliver_early(number_);
}

// All ranks are here. What workers had to say at the end has come (MessageRouter::settle()), unless some may be dead.
ForemanTransport::~ForemanTransport() {
    const auto patience = static_cast<std::uint64_t>(kPatience_s / gimbal_rank_tick_s());
    const std::uint64_t begin = gimbal_rank_ticks();
    try {
        while (team_->settings().robust != 0 && !states_.empty() && gimbal_rank_ticks() - begin < patience)
            router_->poll();
    } catch (const Error&) {  // then the last executions are not in the report
    }
    router_->withdraw(number_);
}

// Identifiers are a process's own; between processes a schedule goes by what it is called.
LoopParameters ForemanTransport::parameters_of(const Request& request) {
    if (request.schedule != last_schedule_) {
        last_parameters_ = {};
        gimbal_schedule_print(request.schedule, last_parameters_.schedule.data(), last_parameters_.schedule.size());
        last_schedule_ = request.schedule;
    }
    LoopParameters parameters = last_parameters_;
    parameters.trip = request.trip;
    parameters.idempotent = request.idempotent ? 1 : 0;
    return parameters;
}

int ForemanTransport::schedule_of(const LoopParameters& parameters) {
    if (last_schedule_ == 0 || last_parameters_.schedule != parameters.schedule) {
        const int schedule = gimbal_rank_schedule(parameters.schedule.data(), nullptr, 0);
        if (schedule == 0) return last_schedule_;
        last_schedule_ = schedule;
        last_parameters_.schedule = parameters.schedule;
    }
    return last_schedule_;
}

std::unique_ptr<RankExecution> ForemanTransport::enter(const Request& request) {
    return open(request);
}

void ForemanTransport::refuse() {
    LoopParameters parameters = parameters_of({.schedule = team_->settings().schedule});
    parameters.idempotent = LoopParameters::kWrongArguments;
    const std::unique_ptr<SharingExecution> execution = open(parameters);
    execution->note_disagreement();
    execution->leave(LeaveMode::in_order);
}

std::unique_ptr<SharingExecution> ForemanTransport::open(const Request& request) {
    return open(parameters_of(request));
}

// What ranks said when they left the executions before decides about the next one.
void ForemanTransport::hear_of_the_last() {
    {
        const std::lock_guard<std::mutex> held(router_->lock());
        if (states_.empty() || states_.back()->epoch() == next_epoch_) return;
    }
    router_->poll();
}

std::unique_ptr<SharingExecution> ForemanTransport::open(const LoopParameters& parameters) {
    MessageRouter::rethrow();
    hear_of_the_last();
    const std::lock_guard<std::mutex> held(router_->lock());
    const std::uint64_t epoch = next_epoch_++;
    if (team_->rank() != 0) return std::make_unique<WorkerExecution>(*this, inbox_of(epoch), parameters);
    ExecutionState* const known = find_state(epoch);
    ExecutionState& state = known ? *known : make_state(epoch, parameters);
    if (!(state.parameters() == parameters)) spoil(state, parameters);
    return std::make_unique<ForemanExecution>(*this, state, parameters);
}

std::unique_ptr<Transport> make_foreman_transport(Team& team, const std::string& name) {
    return std::make_unique<ForemanTransport>(team, name);
}

}  // namespace gimbal::mpi
