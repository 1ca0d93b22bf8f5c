// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/execution.hpp"

#include <utility>

#include "steal/idle.hpp"
#include "steal/search.hpp"
#include "team/check.hpp"

namespace gimbal::mpi {

StealExecution::StealExecution(StealContext& context, const StealRequest& request, Coordinator& coordinator,
                               AgreedRatio& agreed)
    : context_(context),
      agreed_(request.ratio < 0 ? &agreed : nullptr),
      owner_(context, request.owned, request.run_at_once),
      thief_(context, request.by_seed ? make_seed_search(context, coordinator)
                                      : make_nearest_search(context, context.team.settings().seed)),
      by_barrier_(context.team.size() > 1 && (request.by_seed || context.team.nodes() > 1)) {
    context_.ratio = request.ratio;
    context_.ratio_known = !agreed_;
    if (agreed_) agreed_->begin();
}

void StealExecution::take(StealLetter&& letter) {
    const StealHeader& header = letter.header;
    switch (header.kind) {
        case StealKind::claim: {
            const auto first = static_cast<std::uint32_t>(header.first);
            owner_.on_claim(letter.source, {first, first + static_cast<std::uint32_t>(header.count)});
            break;
        }
        case StealKind::ask:
            owner_.on_ask(letter.source);
            break;
        case StealKind::items:
            thief_.on_items(std::move(letter));
            break;
        case StealKind::nothing:
            thief_.on_nothing(letter);
            break;
        case StealKind::results:
        case StealKind::failed:
            owner_.on_results(std::move(letter));
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
    if (const Items piece = owner_.take()) {
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
    if (!by_barrier_) return all_empty_ = context_.queues.all_empty();
    if (!in_barrier_) {
        if (!owner_.given_out()) return false;
        check(MPI_Ibarrier(context_.team.comm(), &barrier_), "MPI_Ibarrier");
        in_barrier_ = true;
    }
    int all = 0;
    check(MPI_Test(&barrier_, &all, MPI_STATUS_IGNORE), "MPI_Test");
    return all_empty_ = all != 0;
}

bool StealExecution::finished() {
    // The barrier before all else: others may wait for this rank there, whatever it still has to do itself.
    if (by_barrier_ && !all_queues_empty()) return false;
    return owner_.complete() && thief_.settled() && context_.mail.quiet() && all_queues_empty();
}

void StealExecution::run() {
    const double never = -1;
    double idle_since = never;
    Idle idle;
    for (;;) {
        Team::poll_all();
        learn_ratio();
        const double now = idle_since == never ? never : steal_clock();
        const bool over = finished();
        if (over || step()) {
            if (idle_since != never) context_.record.waiting_s += now - idle_since;
            if (over) return;
            idle_since = never;
            idle.something();
            continue;
        }
        if (idle_since == never) idle_since = steal_clock();
        idle.nothing();
    }
}

}  // namespace gimbal::mpi
