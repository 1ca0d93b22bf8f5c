// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the foreman does about messages, and what a worker keeps of them.
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "gimbal/rank_loop.h"
#include "loop/foreman.hpp"
#include "team/errors.hpp"

namespace gimbal::mpi {

namespace {

constexpr int kMaxPushed = 16;  // chunks that are sent to a rank unasked, one by one [count]
constexpr int kMaxMissed = 8;   // executions that may wait for ranks that are missing [count]

// The foreman's own work counts for more in smaller teams.
constexpr std::uint32_t kMinRanksToAttend = 32;  // ranks
// Pieces without a question after which the foreman works: it has a share that only it can draw, or not.
constexpr double kQuietWithOwn = 0.25;
constexpr double kQuiet = 16;

}  // namespace

ExecutionState* ForemanTransport::find_state(std::uint64_t epoch) noexcept {
    const auto found =
        std::find_if(states_.begin(), states_.end(), [&](const auto& state) { return state->epoch() == epoch; });
    return found == states_.end() ? nullptr : found->get();
}

// The first rank to come says how it runs.
ExecutionState& ForemanTransport::make_state(std::uint64_t epoch, const LoopParameters& parameters) {
    void* const execution = gimbal_rank_decide(site_, parameters.trip, schedule_of(parameters));
    if (robust(parameters)) close_without_missing();
    ExecutionState& state = *states_.emplace_back(
        std::make_unique<ExecutionState>(epoch, parameters, execution, groups_, robust(parameters)));
    state.asked_before = attendance_.waiting();
    if (parameters.idempotent == LoopParameters::kWrongArguments) spoil(state, parameters);
    return state;
}

// Ranks that are stopped or gone keep their executions open; so many may be.
void ForemanTransport::close_without_missing() {
    const auto finished = [](const auto& state) { return state->all_out() && state->rank_state(0).left; };
    if (std::count_if(states_.begin(), states_.end(), finished) < kMaxMissed) return;
    const auto oldest = std::find_if(states_.begin(), states_.end(), finished);
    close(**oldest);
    states_.erase(oldest);
}

// What placement has moved in other ranks counts as what it has moved here: times are of two placements.
void ForemanTransport::close(ExecutionState& state) {
    gimbal_rank_moved(state.execution(), std::accumulate(moves_.begin(), moves_.end(), std::uint64_t{0}));
    state.close();
}

// For a rank that comes back to an execution that was closed without it.
void ForemanTransport::send_late_verdict(int rank, const ChunkRequest& request) {
    if (request.kind == ChunkRequest::bye) return;
    ChunkReply message;
    message.loop = number_;
    message.kind = ChunkReply::over;
    message.epoch = request.epoch;
    message.parameters = request.parameters;
    message.verdict = ChunkReply::not_first;
    router_->send(message, rank);
}

void ForemanTransport::on_request(int source, const ChunkRequest& request, std::span<const gimbal_rank_cost> costs) {
    const auto rank = static_cast<std::uint32_t>(source);
    ExecutionState* const known = find_state(request.epoch);
    // The foreman has been in all before its next one.
    if (!known && request.epoch < next_epoch_) {
        send_late_verdict(source, request);
        return;
    }
    ExecutionState& state = known ? *known : make_state(request.epoch, request.parameters);
    if (!(state.parameters() == request.parameters)) spoil(state, request.parameters);
    waits_.waited_elsewhere(request.wait_s);
    if (request.kind == ChunkRequest::back) {
        left_behind(state, request.chunk);
        serve(state, rank, true);
        return;
    }
    bool news = state.report(rank, request.worked_s, request.worked_iters, request.taken);
    state.timed(rank, std::span(request.times).first(std::min(request.timed, kMaxTimed)));
    if (request.kind == ChunkRequest::bye) {
        if (request.chunk.count > 0) {
            left_behind(state, request.chunk);
            news = true;
        }
        if (ranks_leave(state, rank, request)) news = true;
        state.measured_by_threads(rank, costs);
        if (news) serve(state, rank, true);
        left(state);
        return;
    }
    ExecutionState::RankState& rank_state = state.rank_state(rank);
    if (request.kind == ChunkRequest::done)
        rank_state.verdict = state.finish(request.chunk) ? ChunkReply::first : ChunkReply::not_first;
    if (request.kind == ChunkRequest::more) attendance_.asked(std::max(request.want, 1U), gimbal_rank_ticks());
    state.note_asked(rank);
    rank_state.asking = true;
    rank_state.want = std::min(request.want, kMaxAtOnce);
    rank_state.asking_ahead = request.kind == ChunkRequest::ahead;
    serve(state, rank, news);
    if (rank_state.verdict != 0) answer(state, rank, rank_state.told_over ? ChunkReply::over : ChunkReply::later);
}

// Others of its node have left before it, in order: they have begun whatever they were given.
bool ForemanTransport::ranks_leave(ExecutionState& state, std::uint32_t rank, const ChunkRequest& request) {
    bool news = false;
    for (std::uint32_t k = 0; k < std::min(request.leaving, kMaxStays); ++k) {
        const Stay& stay = request.stays[k];
        if (stay.rank == 0 || stay.rank >= state.ranks()) continue;
        moves_[stay.rank] = stay.moves;
        const std::uint64_t taken = stay.rank == rank ? request.taken : state.rank_state(stay.rank).given;
        // What it had not begun, or was on its way to it.
        const std::vector<ChunkRange>& pushed = state.rank_state(stay.rank).pushed;
        const std::size_t begun = stay.rank == rank ? request.pushed : pushed.size();
        for (std::size_t at = begun; at < pushed.size(); ++at) left_behind(state, pushed[at]);
        if (state.leave(stay.rank, taken, stay, request.by_node != 0)) news = true;
    }
    return news;
}

void ForemanTransport::poll() {
    if (team_->settings().robust == 0) return;
    const std::unique_lock<std::mutex> held(router_->lock(), std::try_to_lock);
    if (!held) return;
    for (const auto& state : states_)
        if (state->robust()) serve(*state, 0, true);
}

void ForemanTransport::serve(ExecutionState& state, std::uint32_t rank, bool all) {
    // Where chunks run once a question is answered at once.
    if (all && state.robust()) {
        for (std::uint32_t other = 1; other < state.ranks(); ++other) offer(state, other);
    } else if (rank != 0) {
        offer(state, rank);
    }
    if (state.all_out()) tell_over(state);
}

bool ForemanTransport::answers_only(ExecutionState& state) const {
    if (state.ranks() < kMinRanksToAttend || state.robust() || state.spoilt() || state.untold() == 0) return false;
    const std::uint64_t now = gimbal_rank_ticks();
    return attendance_.answers_only(poll_interval_.between(), attendance_.waiting() - state.asked_before,
                                    now - state.opened(), state.has_own(0) ? kQuietWithOwn : kQuiet, now);
}

// Nobody waits for what another rank has asked for ahead of time: that rank may itself wait, in another loop.
void ForemanTransport::offer(ExecutionState& state, std::uint32_t rank) {
    ExecutionState::RankState& rank_state = state.rank_state(rank);
    if (!rank_state.asking) return;
    if (rank_state.told_over) {
        rank_state.asking = false;
        if (state.make_sure(rank)) answer(state, rank, ChunkReply::over);
        return;
    }
    if (state.spoilt()) {
        state.tell_over(rank);
        answer(state, rank, ChunkReply::disagrees);
        return;
    }
    ChunkRange run;
    const bool own = state.draw_own(rank, run);
    if (own || state.draw(rank, run)) {
        const bool ahead = rank_state.asking_ahead;
        state.gave(rank, run, ahead);
        ++questions_;
        answer(state, rank, ChunkReply::work, run, true, own || ahead ? 1 : rank_state.want);
    } else if (!state.robust()) {
        state.tell_over(rank);
        answer(state, rank, ChunkReply::over);
    }
}

void ForemanTransport::tell_over(ExecutionState& state) {
    if (state.untold() == 0) return;
    attendance_.note(attendance_.waiting() - state.asked_before, gimbal_rank_ticks() - state.opened());
    for (std::uint32_t rank = 0; rank < state.ranks() && state.untold() > 0; ++rank) {
        if (!state.tell_over(rank) || rank == 0) continue;
        if (state.hears_by_group(rank)) {
            state.told_by_group(rank);
        } else {
            answer(state, rank, ChunkReply::over);
        }
    }
}

// Who was told for them may be busy for long, or have no part in the node's queue.
void ForemanTransport::tell_unsure(ExecutionState& state) {
    for (std::uint32_t rank = 1; rank < state.ranks() && state.unsure() > 0; ++rank)
        if (state.make_sure(rank)) answer(state, rank, ChunkReply::over);
}

// The ranks do not agree: all that still take part hear of it.
void ForemanTransport::spoil(ExecutionState& state, const LoopParameters& other) {
    if (state.spoilt()) return;
    state.spoil(other);
    for (std::uint32_t rank = 1; rank < state.ranks(); ++rank)
        if (state.tell_over(rank)) answer(state, rank, ChunkReply::disagrees);
}

void ForemanTransport::deal_out(ExecutionState& state) {
    if (state.robust()) return;
    for (std::uint32_t rank = 1; rank < state.ranks() && !state.all_out(); ++rank) {
        if (state.rank_state(rank).told_over) continue;
        ChunkRange run;
        if (state.draw_own(rank, run)) push(state, rank, run);
        int sent = 0;
        for (; sent < kMaxPushed && state.draw(rank, run); ++sent) push(state, rank, run);
        if (sent < kMaxPushed && !state.all_out() && state.tell_over(rank)) answer(state, rank, ChunkReply::over);
    }
    serve(state, 0, true);
}

void ForemanTransport::deal_out_to_absent(ExecutionState& state) {
    if (state.robust()) return;
    std::vector<std::uint32_t> absent;
    for (std::uint32_t rank = 1; rank < state.ranks(); ++rank) {
        if (state.rank_state(rank).told_over) continue;
        if (!router_->is_absent(rank)) return;
        absent.push_back(rank);
    }
    for (std::size_t k = 0; k < absent.size(); ++k) {
        ChunkRange run;
        if (state.draw_own(absent[k], run)) push(state, absent[k], run);
        const std::uint64_t others = absent.size() - k - 1;
        const std::uint64_t stays = state.not_out() / (others + 1) * others;
        // Chunks that follow each other go as one.
        run = {};
        for (ChunkRange chunk; state.not_out() > stays && state.draw(absent[k], chunk);) {
            if (run.count == 1 && chunk.first == run.end) {
                run.end = chunk.end;
                continue;
            }
            if (run.count == 1) push(state, absent[k], run);
            run = chunk;
        }
        if (run.count == 1) push(state, absent[k], run);
    }
    serve(state, 0, true);
}

void ForemanTransport::push(ExecutionState& state, std::uint32_t rank, const ChunkRange& chunks) {
    state.note_pushed(rank, chunks);
    answer(state, rank, ChunkReply::work, chunks);
}

// A rank that leaves a loop early takes what it has begun with it, unless another one is still there to run that.
void ForemanTransport::left_behind(ExecutionState& state, const ChunkRange& chunk) {
    if (state.spoilt()) return;
    if (state.untold() > 0) {
        state.come_back(chunk);
    } else {
        warn("a rank left a loop before its end; the iterations that it had drawn but not run were skipped");
    }
}

void ForemanTransport::left(ExecutionState& state) {
    if (!state.complete()) return;
    if (!state.robust() && !state.spoilt() && !state.all_out()) warn(kRunByNobody);
    // Not what a message costs that tells of the end: draws do.
    const double held = chunks_ > 0 ? router_->service() * questions_ / chunks_ : 0;
    if (waits_.elsewhere_s() > 0) gimbal_rank_draw_cost(waits_.elsewhere_s(), held * gimbal_rank_tick_s());
    close(state);
    std::erase_if(states_, [&](const auto& kept) { return kept.get() == &state; });
}

void ForemanTransport::answer(ExecutionState& state, std::uint32_t rank, ChunkReply::Kind kind, const ChunkRange& run,
                              bool reply, std::uint32_t want) {
    ChunkReply message;
    message.loop = number_;
    message.kind = kind;
    message.epoch = state.epoch();
    message.parameters = state.parameters();
    // To a rank that agrees with the first one, the other parameters are the news.
    if (kind == ChunkReply::disagrees) message.other = state.other_parameters();
    message.within = state.within();
    message.run = run;
    message.reply = reply ? 1 : 0;
    message.whole_node = kind == ChunkReply::over && state.all_out() && !state.pushed(rank) ? 1 : 0;
    for (ChunkRange other; message.further + 1 < want && state.draw_for_others(rank, other); ++message.further)
        message.pieces[message.further] = {.first = other.first, .end = other.end};
    if (reply) chunks_ += 1 + message.further;
    message.verdict = std::exchange(state.rank_state(rank).verdict, 0);
    router_->send(message, static_cast<int>(rank));
}

Inbox& ForemanTransport::inbox_of(std::uint64_t epoch) {
    for (const auto& inbox : inboxes_) {
        if (inbox->epoch == epoch) return *inbox;
    }
    Inbox& made = *inboxes_.emplace_back(std::make_unique<Inbox>());
    made.epoch = epoch;
    return made;
}

void ForemanTransport::on_reply(const ChunkReply& answer) {
    const bool known =
        std::any_of(inboxes_.begin(), inboxes_.end(), [&](const auto& inbox) { return inbox->epoch == answer.epoch; });
    if (!known && answer.epoch < next_epoch_) return;  // this rank has left it
    Inbox& inbox = inbox_of(answer.epoch);
    inbox.parameters = answer.parameters;
    inbox.other = answer.other;
    switch (answer.kind) {
        case ChunkReply::work:
            inbox.within = answer.within;
            inbox.items.push_back(
                {answer.run, answer.reply != 0, {answer.pieces.begin(), answer.pieces.begin() + answer.further}});
            break;
        case ChunkReply::over:
            inbox.over = true;
            inbox.node_over = answer.whole_node != 0;
            break;
        case ChunkReply::disagrees:
            inbox.over = inbox.spoilt = true;
            break;
        default:
            break;
    }
    if (answer.verdict != 0) inbox.verdict = answer.verdict;
}

void ForemanTransport::forget(std::uint64_t epoch) noexcept {
    std::erase_if(inboxes_, [&](const auto& inbox) { return inbox->epoch == epoch; });
}

}  // namespace gimbal::mpi
