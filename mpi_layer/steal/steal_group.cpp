// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/steal_group.hpp"

#include <limits>
#include <utility>

#include "gimbal/error.hpp"
#include "team/errors.hpp"
#include "team/yield.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kLongestName = 100;  // in a message

}  // namespace

StealGroup& StealGroup::of(Team& team, std::string_view name, const StealRequest& request) {
    const std::string rule = std::string("rule ") + (request.by_seed ? "seed" : "nearest") +
                             (request.by_agent() ? ", ratio by the agent" : ", ratio given or fair");
    const std::string key = std::string(name) + "\n" + rule;
    if (Member* const known = team.find("steal", key)) return static_cast<StealGroup&>(*known);
    const std::string terms = "steal loop \"" + std::string(name.substr(0, kLongestName)) + "\", " + rule +
                              (request.work.accept ? ", results are taken in" : ", results are not taken in");
    return static_cast<StealGroup&>(team.make_member(
        "steal", key, terms, [&] { return std::make_unique<StealGroup>(team, std::string(name), request); }));
}

StealGroup::StealGroup(Team& team, const std::string& name, const StealRequest& request)
    : team_(team),
      name_(name),
      by_seed_(request.by_seed),
      by_agent_(request.by_agent()),
      comm_(team.comm()),
      queues_(team, look_s()),
      mail_(team, team.tags(1)),
      agreed_(team, comm_.get(), name) {}

StealGroup::~StealGroup() {
    if (broken_) return;
    try {
        drain();
    } catch (...) {  // MPI has failed: nobody can be told here
    }
}

// All ranks come here; those that have entered or refused fewer executions than others refuse these. Until all are
// here, some may need answers for that.
void StealGroup::catch_up() {
    std::uint64_t most = entered_;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, team_.comm(), &request), "MPI_Iallreduce");
    Yielding idle;
    for (int here = 0; !here; idle.nothing()) {
        poll();
        check(MPI_Test(&request, &here, MPI_STATUS_IGNORE), "MPI_Test");
    }
    while (entered_ < most) refuse(Refusal::ended);
}

void StealGroup::retire() {
    const std::unique_lock held(*lock_, std::try_to_lock);
    if (!held || broken_) return;
    if (execution_) execution_->close();
    retiring_ = true;
    try_to_retire();
}

// Never waits: where others must do something first, poll() comes here again.
void StealGroup::try_to_retire() {
    if (execution_ ? !execution_->serve_to_end() : refused_ && !refused_->complete()) return;
    retiring_ = false;
    if (std::exchange(execution_, nullptr) && by_agent_) agreed_.end(std::numeric_limits<double>::infinity(), 0);
    refuse(Refusal::ended);
}

void StealGroup::drain() {
    for (Yielding idle; retiring_; idle.nothing()) poll();
    catch_up();
    settle_refused();
    agreed_.finish();
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool entered = false;
    Yielding idle;
    for (int all = 0; !all;) {
        poll();
        if (!entered && mail_.unanswered() == 0 && mail_.idle()) {
            check(MPI_Ibarrier(team_.comm(), &barrier), "MPI_Ibarrier");
            entered = true;
        }
        if (entered) check(MPI_Test(&barrier, &all, MPI_STATUS_IGNORE), "MPI_Test");
        if (!all) idle.nothing();
    }
    while (!mail_.idle()) poll();
}

void StealGroup::poll() {
    const std::unique_lock held(*lock_, std::try_to_lock);
    if (!held || broken_) return;
    if (mail_.look_or_skip()) {
        mail_.tend();
        StealMessage message;
        // Answers bring new questions: where hundreds ask, a rank that answered all of them would do nothing else.
        for (int taken = 0; taken < team_.size() && mail_.receive(message); ++taken) take(std::move(message));
    }
    if (retiring_) try_to_retire();
}

void StealGroup::take(StealMessage&& message) {
    const std::uint64_t epoch = message.header.epoch;
    if (epoch >= entered_) {
        early_.push_back(std::move(message));
    } else if (epoch + 1 < entered_ || !execution_) {
        too_late(message);
    } else if (message.header.kind == StealKind::who) {
        StealHeader answer = message.header;
        answer.kind = StealKind::victim;
        if (message.header.rank >= 0) coordinator_.has_nothing(message.header.rank);
        if (execution_->nothing_to_give()) coordinator_.has_nothing(team_.rank());
        answer.rank = coordinator_.victim_for(message.source);
        mail_.send(message.source, answer);
    } else {
        execution_->take(std::move(message));
    }
}

void StealGroup::too_late(const StealMessage& message) {
    StealHeader answer = message.header;
    answer.rank = -1;
    if (message.header.kind == StealKind::ask)
        answer.kind = StealKind::nothing;
    else if (message.header.kind == StealKind::who)
        answer.kind = StealKind::victim;
    else
        return;  // an answer that nobody waits for
    mail_.send(message.source, answer);
}

void StealGroup::take_early() {
    std::vector<StealMessage> messages;
    messages.swap(early_);
    for (StealMessage& message : messages) take(std::move(message));
}

void StealGroup::refuse(Refusal why) {
    const std::lock_guard held(*lock_);
    if (execution_ || broken_) return;  // of these run() says what is wrong
    settle_refused();
    const std::uint64_t epoch = entered_++;
    if (by_agent_) agreed_.begin();
    queues_.refuse(epoch, why);
    queues_.enter(epoch, 0);
    refused_.emplace(team_, comm_.get(), queues_, by_seed_).enter(why);
    take_early();
}

// The next execution may begin when all ranks have entered that one: node_queues.hpp.
void StealGroup::settle_refused() {
    if (!refused_) return;
    for (Yielding idle; !refused_->complete(); idle.nothing()) Team::poll_all();
    refused_.reset();
    if (by_agent_) agreed_.end(std::numeric_limits<double>::infinity(), 0);
}

StealRecord StealGroup::run(const StealRequest& request) {
    const std::shared_ptr<std::recursive_mutex> lock = lock_;
    const std::lock_guard held(*lock);
    if (execution_)
        throw Error(ErrorCode::wrong_use, "steal loop \"" + name_ + "\": run() is called from one of its callbacks");
    if (broken_) throw Error(ErrorCode::mpi, "steal loop \"" + name_ + "\": MPI failed in an earlier execution");
    settle_refused();
    const double begin = steal_clock();
    const std::uint64_t epoch = entered_;
    StealContext context{team_, queues_, mail_, request.work, epoch, look_s()};
    try {
        if (request.by_seed && team_.rank() == 0) coordinator_.begin(epoch, team_.size(), team_.settings().seed);
        StealExecution execution(context, request, comm_.get(), coordinator_, agreed_);
        execution_ = &execution;
        entered_ = epoch + 1;
        take_early();
        execution.run();
        execution_ = nullptr;
        finish_execution(context, request, steal_clock() - begin);
    } catch (const GroupGone&) {
        throw;
    } catch (...) {
        execution_ = nullptr;
        broken_ = true;
        throw;
    }
    if (context.callbacks.failed()) std::rethrow_exception(context.callbacks.error());
    return context.record;
}

void StealGroup::finish_execution(StealContext& context, const StealRequest& request, double elapsed_s) {
    StealRecord& record = context.record;
    const bool failed = context.callbacks.failed();
    if (request.by_agent()) agreed_.end(failed ? std::numeric_limits<double>::infinity() : elapsed_s, record.busy_s);
    record.ratio = context.ratio_known ? context.ratio : agreed_.ratio();
    mail_.pool().trim();
    gimbal_steal_report(name_.c_str(), static_cast<std::uint32_t>(team_.size()),
                        request.by_seed ? GIMBAL_STEAL_SEED : GIMBAL_STEAL_NEAREST, &record);
}

}  // namespace gimbal::mpi
