// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the foreman does about messages, and what a worker keeps of them.
#include <algorithm>
#include <utility>

#include "gimbal/rank_loop.h"
#include "loop/foreman.hpp"

namespace gimbal::mpi {

namespace {

constexpr int kMaxPushed = 16;  // chunks that are sent to a rank unasked, one by one [count]
constexpr int kMaxMissed = 8;   // executions that may wait for ranks that are missing [count]

}  // namespace

ExecutionState& ForemanTransport::board_of(std::uint64_t epoch, const LoopParameters& terms) {
    const auto found =
        std::find_if(boards_.begin(), boards_.end(), [&](const auto& board) { return board->epoch() == epoch; });
    if (found != boards_.end()) return **found;
    void* const execution = gimbal_rank_decide(site_, terms.trip, schedule_of(terms));
    const auto ranks = static_cast<std::uint32_t>(team_->size());
    if (robust(terms)) close_without_missing();
    ExecutionState& board =
        *boards_.emplace_back(std::make_unique<ExecutionState>(epoch, terms, execution, ranks, robust(terms)));
    if (terms.idempotent == LoopParameters::kWrongArguments) spoil(board, terms);
    return board;
}

bool ForemanTransport::is_closed(std::uint64_t epoch) const noexcept {
    return std::find(closed_.begin(), closed_.end(), epoch) != closed_.end();
}

// Ranks that are stopped or gone keep their boards open; so many may be.
void ForemanTransport::close_without_missing() {
    const auto finished = [](const auto& board) { return board->all_out() && board->seat(0).left; };
    if (std::count_if(boards_.begin(), boards_.end(), finished) < kMaxMissed) return;
    const auto oldest = std::find_if(boards_.begin(), boards_.end(), finished);
    closed_.push_back((*oldest)->epoch());
    (*oldest)->close();
    boards_.erase(oldest);
}

// For a rank that comes back to an execution that was closed without it.
void ForemanTransport::send_late_verdict(int rank, const ChunkRequest& ask) {
    if (ask.kind == ChunkRequest::bye) return;
    ChunkReply message;
    message.loop = number_;
    message.kind = ChunkReply::over;
    message.epoch = ask.epoch;
    message.terms = ask.terms;
    message.verdict = ChunkReply::not_first;
    post_->send(message, rank);
}

void ForemanTransport::on_ask(int source, const ChunkRequest& ask) {
    const auto rank = static_cast<std::uint32_t>(source);
    if (is_closed(ask.epoch)) {
        send_late_verdict(source, ask);
        return;
    }
    ExecutionState& board = board_of(ask.epoch, ask.terms);
    if (!(board.terms() == ask.terms)) spoil(board, ask.terms);
    waits_.waited_elsewhere(ask.wait_s);
    if (ask.kind == ChunkRequest::back) {
        left_behind(board, ask.chunk);
        serve(board, rank, true);
        return;
    }
    bool news = board.report(rank, ask.worked_s, ask.worked_iters, ask.taken);
    if (ask.kind == ChunkRequest::bye) {
        if (ask.chunk.count > 0) {
            left_behind(board, ask.chunk);
            news = true;
        }
        if (board.leave(rank, ask.taken, ask.stayed_s)) news = true;
        if (news) serve(board, rank, true);
        left(board);
        return;
    }
    ExecutionState::RankState& seat = board.seat(rank);
    if (ask.kind == ChunkRequest::done)
        seat.verdict = board.finish(ask.chunk) ? ChunkReply::first : ChunkReply::not_first;
    seat.asking = true;
    seat.want = std::min(ask.want, kMaxAtOnce);
    seat.asking_ahead = ask.kind == ChunkRequest::ahead;
    serve(board, rank, news);
    if (seat.verdict != 0) answer(board, rank, seat.told_over ? ChunkReply::over : ChunkReply::later);
}

void ForemanTransport::poll() {
    if (boards_.empty() || team_->settings().robust == 0) return;
    const std::unique_lock<std::mutex> held(post_->lock(), std::try_to_lock);
    if (!held) return;
    for (const auto& board : boards_)
        if (board->robust()) serve(*board, 0, true);
}

void ForemanTransport::serve(ExecutionState& board, std::uint32_t rank, bool all) {
    if (all) {
        for (std::uint32_t other = 1; other < board.ranks(); ++other) offer(board, other);
    } else if (rank != 0) {
        offer(board, rank);
    }
    if (board.all_out()) tell_over(board);
}

// Nobody waits for what another rank has asked for ahead of time: that rank may itself wait, in another loop.
void ForemanTransport::offer(ExecutionState& board, std::uint32_t rank) {
    ExecutionState::RankState& seat = board.seat(rank);
    if (!seat.asking || seat.told_over) return;
    if (board.spoilt()) {
        seat.told_over = true;
        answer(board, rank, ChunkReply::disagrees);
        return;
    }
    ChunkRange run;
    const bool own = board.draw_own(rank, run);
    if (own || board.draw(rank, run)) {
        const bool ahead = seat.asking_ahead;
        board.gave(rank, run, ahead);
        answer(board, rank, ChunkReply::work, run, true, own || ahead ? 1 : seat.want);
    } else if (!board.robust()) {
        seat.told_over = true;
        answer(board, rank, ChunkReply::over);
    }
}

void ForemanTransport::tell_over(ExecutionState& board) {
    for (std::uint32_t rank = 0; rank < board.ranks(); ++rank) {
        ExecutionState::RankState& seat = board.seat(rank);
        if (seat.told_over) continue;
        seat.told_over = true;
        if (rank != 0) answer(board, rank, ChunkReply::over);
    }
}

// The ranks do not agree: all that still take part hear of it.
void ForemanTransport::spoil(ExecutionState& board, const LoopParameters& other) {
    if (board.spoilt()) return;
    board.spoil(other);
    for (std::uint32_t rank = 1; rank < board.ranks(); ++rank) {
        ExecutionState::RankState& seat = board.seat(rank);
        if (seat.told_over) continue;
        seat.told_over = true;
        answer(board, rank, ChunkReply::disagrees);
    }
}

void ForemanTransport::deal_out(ExecutionState& board) {
    if (board.robust()) return;
    for (std::uint32_t rank = 1; rank < board.ranks() && !board.all_out(); ++rank) {
        if (board.seat(rank).told_over) continue;
        ChunkRange run;
        if (board.draw_own(rank, run)) answer(board, rank, ChunkReply::work, run);
        for (int sent = 0; sent < kMaxPushed && board.draw(rank, run); ++sent)
            answer(board, rank, ChunkReply::work, run);
    }
    serve(board, 0, true);
}

// Whoever leaves a loop before its end takes what it has begun with it, unless somebody is still there to run that.
void ForemanTransport::left_behind(ExecutionState& board, const ChunkRange& chunk) {
    if (board.spoilt()) return;
    bool anybody = false;
    for (std::uint32_t rank = 0; rank < board.ranks(); ++rank) anybody |= !board.seat(rank).told_over;
    if (anybody) {
        board.come_back(chunk);
    } else {
        gimbal_rank_warn(
            "a rank left a loop before its end; the iterations that it had drawn but not run were skipped");
    }
}

void ForemanTransport::left(ExecutionState& board) {
    if (!board.complete()) return;
    if (!board.robust() && !board.spoilt() && !board.all_out()) gimbal_rank_warn(kRunByNobody);
    if (waits_.elsewhere_s() > 0) gimbal_rank_draw_cost(waits_.elsewhere_s());
    board.close();
    std::erase_if(boards_, [&](const auto& kept) { return kept.get() == &board; });
}

void ForemanTransport::answer(ExecutionState& board, std::uint32_t rank, ChunkReply::Kind kind, const ChunkRange& run,
                              bool reply, std::uint32_t want) {
    ChunkReply message;
    message.loop = number_;
    message.kind = kind;
    message.epoch = board.epoch();
    message.terms = board.terms();
    // To a rank that agrees with the first one, the other terms are what is new.
    if (kind == ChunkReply::disagrees) message.other = board.other_terms();
    message.run = run;
    message.reply = reply ? 1 : 0;
    for (ChunkRange other; message.further + 1 < want && board.draw_for_others(rank, other); ++message.further)
        message.pieces[message.further] = {.first = other.first, .end = other.end};
    message.verdict = std::exchange(board.seat(rank).verdict, 0);
    post_->send(message, static_cast<int>(rank));
}

Inbox& ForemanTransport::inbox_of(std::uint64_t epoch) {
    for (const auto& inbox : inboxes_) {
        if (inbox->epoch == epoch) return *inbox;
    }
    Inbox& made = *inboxes_.emplace_back(std::make_unique<Inbox>());
    made.epoch = epoch;
    return made;
}

void ForemanTransport::on_answer(const ChunkReply& answer) {
    const bool known =
        std::any_of(inboxes_.begin(), inboxes_.end(), [&](const auto& inbox) { return inbox->epoch == answer.epoch; });
    if (!known && answer.epoch < next_epoch_) return;  // this rank has left it
    Inbox& inbox = inbox_of(answer.epoch);
    inbox.terms = answer.terms;
    inbox.other = answer.other;
    switch (answer.kind) {
        case ChunkReply::work:
            inbox.items.push_back(
                {answer.run, answer.reply != 0, {answer.pieces.begin(), answer.pieces.begin() + answer.further}});
            break;
        case ChunkReply::over:
            inbox.over = true;
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
