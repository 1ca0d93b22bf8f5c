// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/execution.hpp"

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "steal/search.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

StealExecution::StealExecution(StealContext& context, const StealRequest& request, MPI_Comm comm,
                               Coordinator& coordinator, AgreedRatio& agreed)
    : context_(context),
      agreed_(request.by_agent() ? &agreed : nullptr),
      owner_(context, request.owned, request.run_at_once),
      thief_(context, request.by_seed ? make_seed_search(context, coordinator)
                                      : make_nearest_search(context, context.team.settings().seed)),
      all_out_(context.team, comm, context.queues, request.by_seed) {
    context_.ratio = request.ratio;
    context_.ratio_known = !agreed_;
    if (agreed_) agreed_->begin();
}

void StealExecution::take(StealMessage&& message) {
    const StealHeader& header = message.header;
    switch (header.kind) {
        case StealKind::claim: {
            const auto first = static_cast<std::uint32_t>(header.first);
            owner_.on_claim(message.source, {first, first + static_cast<std::uint32_t>(header.count)});
            break;
        }
        case StealKind::ask:
            owner_.on_ask({message.source, static_cast<int>(header.first)});
            break;
        case StealKind::items:
            thief_.on_items(std::move(message));
            break;
        case StealKind::nothing:
            thief_.on_nothing(message);
            break;
        case StealKind::results:
        case StealKind::failed:
            owner_.on_results(std::move(message));
            break;
        case StealKind::victim:
            thief_.on_victim(header.rank);
            break;
        case StealKind::who:
            break;  // the coordinator's
    }
}

void StealExecution::learn_ratio() {
    if (context_.ratio_known || !agreed_->known()) return;
    context_.ratio = agreed_->ratio();
    context_.ratio_known = true;
}

bool StealExecution::step() {
    if (context_.callbacks.failed()) {
        owner_.close();
        thief_.give_up();
    }
    const bool served = owner_.serve();
    if (const Chunk piece = owner_.take()) {
        if (owner_.empty()) thief_.look();  // while the last piece runs, more may come
        owner_.run(piece);
        return true;
    }
    if (thief_.run_piece()) return true;
    if (!all_empty_) thief_.look();
    return served;
}

bool StealExecution::all_queues_empty() {
    if (all_empty_) return true;
    if (all_out_.by_messages()) {
        if (!owner_.given_out()) return false;
        all_out_.enter();
    }
    return all_empty_ = all_out_.complete();
}

bool StealExecution::finished() {
    // That before all else: others may wait for this rank's word, whatever it still has to do itself.
    if (all_out_.by_messages() && !all_queues_empty()) return false;
    return owner_.complete() && thief_.settled() && context_.mail.quiet() && all_queues_empty();
}

void StealExecution::close() {
    context_.callbacks.close(std::make_exception_ptr(
        Error(ErrorCode::wrong_use, "it called MPI_Finalize or MPI_Comm_free before the end of the loop")));
}

bool StealExecution::serve_to_end() {
    static_cast<void>(step());  // first: who waits for what the program packs is not waited for at the end
    return finished();
}

void StealExecution::run() {
    const double never = -1;
    double idle_since = never;
    Yielding idle;
    std::optional<Absence> absence;
    for (;;) {
        Team::poll_all();
        learn_ratio();
        const double now = idle_since == never ? never : steal_clock();
        const bool over = finished();
        if (over || step()) {
            if (idle_since != never) context_.record.waiting_s += now - idle_since;
            if (over) break;
            absence.reset();
            idle_since = never;
            idle.something();
            continue;
        }
        if (idle_since == never) idle_since = steal_clock();
        if (!absence) absence.emplace();
        absence->note();
        idle.nothing();
    }
    const Refuser refuser = all_out_.refuser();
    if (refuser.why == Refusal::none) return;
    const std::string rank = "rank " + std::to_string(refuser.rank);
    const Error error =
        refuser.why == Refusal::ended
            ? Error(ErrorCode::wrong_use, rank + " called MPI_Finalize or MPI_Comm_free without this execution",
                    "all ranks must run the executions of a steal loop, those that own no items too")
            : Error(ErrorCode::wrong_use, rank + " passed invalid arguments",
                    "the error on that rank says what is wrong");
    context_.callbacks.fail(std::make_exception_ptr(error));
}

}  // namespace gimbal::mpi
