// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/foreman_execution.hpp"

#include <algorithm>

#include "gimbal/error.hpp"
#include "loop/wait.hpp"

namespace gimbal::mpi {

namespace {

[[noreturn]] void throw_disagreement(const Terms& mine, const Terms& first, const Terms& other) {
    const Terms& theirs = mine == first ? other : first;
    throw Error(ErrorCode::wrong_use,
                "the ranks of a loop do not agree: " + described(mine) + " here, " + described(theirs) + " elsewhere",
                "all ranks must construct the loops of a communicator in the same order and with the same arguments");
}

// The next piece of a chunk; what is left of it stays in `chunk`.
void cut(Run& chunk, std::uint64_t piece, std::uint64_t& first, std::uint64_t& end) noexcept {
    first = chunk.first;
    end = chunk.end - chunk.first > piece ? chunk.first + piece : chunk.end;
    chunk.first = end;
    if (first == end || end == chunk.end) chunk.count = 0;
}

}  // namespace

ForemanExecution::ForemanExecution(ForemanTransport& transport, Board& board, const Terms& terms)
    : SharingExecution(terms), transport_(&transport), board_(&board) {}

ForemanExecution::~ForemanExecution() {
    if (left_) return;
    try {
        leave();
    } catch (...) {  // whoever destroys it has no use for it
    }
}

bool ForemanExecution::next(std::uint64_t& first, std::uint64_t& end) {
    Post& post = transport_->post();
    if (unfinished_.count > 0) static_cast<void>(finish(unfinished_.first, unfinished_.end));
    stop();
    Post::rethrow();
    const bool alone = transport_->team().size() == 1;
    if (!alone) Team::poll_all();
    Wait wait;
    for (bool dealt = false;; dealt = true) {
        {
            const std::lock_guard<std::mutex> held(post.lock());
            if (board_->spoilt()) throw_disagreement(terms_, board_->terms(), board_->other_terms());
            if ((chunk_.count > 0 || draw()) && hand_out(first, end)) return true;
            if (over() || alone) return false;
            if (!dealt) transport_->deal_out(*board_);
        }
        post.poll();
        wait.pause();
    }
}

// @return false: the chunk is somebody else's by now
bool ForemanExecution::hand_out(std::uint64_t& first, std::uint64_t& end) {
    const std::uint64_t most = transport_->team().size() == 1 ? UINT64_MAX : transport_->pace().piece();
    Run rest = chunk_;
    cut(rest, most, first, end);
    if (!board_->cut(0, first, end)) {
        chunk_ = {};
        return false;
    }
    chunk_ = rest;
    if (board_->robust()) unfinished_ = {.first = first, .end = end, .stride = 0, .count = 1};
    looks_ = transport_->post().looks();
    stint_.start(end - first);
    return true;
}

void ForemanExecution::stop() {
    const std::uint64_t size = stint_.size;
    const std::uint64_t took = stint_.stop();
    transport_->pace().note(size, took, transport_->post().looks() - looks_);
}

bool ForemanExecution::finish(std::uint64_t first, std::uint64_t end) {
    if (!board_->robust()) return true;
    stop();
    unfinished_ = {};
    const std::lock_guard<std::mutex> held(transport_->post().lock());
    const bool is_first = board_->finish({.first = first, .end = end, .stride = 0, .count = 1});
    transport_->serve(*board_, 0, false);
    return is_first;
}

bool ForemanExecution::draw() {
    board_->report(0, static_cast<double>(stint_.time) * gimbal_rank_tick_s(), stint_.iterations, 0);
    stint_.clear();
    if (!board_->draw(0, chunk_)) chunk_ = {};
    transport_->serve(*board_, 0, false);
    return chunk_.count > 0;
}

bool ForemanExecution::spare(Piece& chunk) {
    const std::lock_guard<std::mutex> held(transport_->post().lock());
    Run run;
    if (!board_->draw_for_others(0, run)) return false;
    chunk = {.first = run.first, .end = run.end};
    transport_->serve(*board_, 0, false);
    return true;
}

void ForemanExecution::adopt(const Piece& chunk, std::uint64_t& first, std::uint64_t& end) {
    stop();
    Post::rethrow();
    Team::poll_all();
    chunk_ = {.first = chunk.first, .end = chunk.end, .stride = 0, .count = 1};
    hand_out(first, end);
}

void ForemanExecution::give_back(const Piece& chunk) {
    const std::lock_guard<std::mutex> held(transport_->post().lock());
    transport_->left_behind(*board_, {.first = chunk.first, .end = chunk.end, .stride = 0, .count = 1});
    transport_->serve(*board_, 0, true);
}

Stint ForemanExecution::take_stint() noexcept {
    stop();
    return SharingExecution::take_stint();
}

// Nobody needs this rank any more.
bool ForemanExecution::over() {
    if (board_->spoilt() || board_->all_out()) return true;
    for (std::uint32_t rank = 1; rank < board_->ranks(); ++rank) {
        if (!board_->seat(rank).told_over) return false;
    }
    return true;
}

void ForemanExecution::leave() {
    left_ = true;
    Post& post = transport_->post();
    stint_.stop();
    Wait wait;
    for (bool dealt = false;; dealt = true) {
        {
            const std::lock_guard<std::mutex> held(post.lock());
            if (chunk_.count > 0 && !board_->robust()) transport_->left_behind(*board_, chunk_);
            if (board_->robust() && !dealt) board_->abandon(0);
            chunk_ = {};
            if (!dealt && !over()) transport_->deal_out(*board_);
            transport_->serve(*board_, 0, false);
            if (over()) {
                board_->report(0, static_cast<double>(stint_.time) * gimbal_rank_tick_s(), stint_.iterations, 0);
                board_->leave(0, 0, -1);
                transport_->left(*board_);
                return;
            }
        }
        post.poll();
        wait.pause();
    }
}

WorkerExecution::WorkerExecution(ForemanTransport& transport, Inbox& inbox, const Terms& terms)
    : SharingExecution(terms), transport_(&transport), inbox_(&inbox), robust_(transport.robust(terms)) {}

WorkerExecution::~WorkerExecution() {
    if (left_) return;
    try {
        leave();
    } catch (...) {  // as above
    }
}

bool WorkerExecution::next(std::uint64_t& first, std::uint64_t& end) {
    if (unfinished_.count > 0) static_cast<void>(finish(unfinished_.first, unfinished_.end));
    const std::uint64_t size = stint_.size;
    transport_->waits().worked(size, static_cast<double>(stint_.stop()));
    Post& post = transport_->post();
    for (Wait wait;; wait.pause()) {
        post.poll();
        const std::lock_guard<std::mutex> held(post.lock());
        if (inbox_->spoilt) throw_disagreement(terms_, inbox_->terms, inbox_->other);
        if (inbox_->any() || inbox_->over) {
            if (!(inbox_->terms == terms_)) throw_disagreement(terms_, inbox_->terms, terms_);
        }
        if (hand_out(first, end)) {
            stint_.start(end - first);
            return true;
        }
        if (inbox_->over) return false;
        if (!asked_) send(Ask::more);
        waits_ = true;
    }
}

// What is here: the end of a chunk, chunks of a run, what has come.
bool WorkerExecution::hand_out(std::uint64_t& first, std::uint64_t& end) {
    if (rest_.count > 0) {
        if (!asked_ && !inbox_->over && !inbox_->any()) send(Ask::ahead);
        cut(rest_, UINT64_MAX, first, end);
        return true;
    }
    Piece piece;
    if (run_.count == 0 && spare(piece)) {
        first = piece.first;
        end = piece.end;
        return true;
    }
    if (run_.count == 0) {
        if (!inbox_->any()) return false;
        const Inbox::Item item = inbox_->take();
        if (item.reply) answered();
        run_ = item.run;
        further_.assign(item.further.rbegin(), item.further.rend());  // the first is taken first
    }
    first = run_.first;
    end = std::min(run_.end, terms_.trip);
    --run_.count;
    run_.first += run_.stride;
    run_.end += run_.stride;
    if (robust_) {
        unfinished_ = {.first = first, .end = end, .stride = 0, .count = 1};
    } else if (run_.count == 0) {
        ask_in_time(first, end);
    }
    return true;
}

// With the question whether it is the first to have finished that chunk a rank asks for the next.
bool WorkerExecution::finish(std::uint64_t first, std::uint64_t end) {
    if (!robust_) return true;
    const std::uint64_t size = stint_.size;
    transport_->waits().worked(size, static_cast<double>(stint_.stop()));
    unfinished_ = {};
    Post& post = transport_->post();
    {
        const std::lock_guard<std::mutex> held(post.lock());
        if (inbox_->over && !inbox_->spoilt) return false;
        inbox_->verdict = Answer::none;
        send(Ask::done, {.first = first, .end = end, .stride = 0, .count = 1});
    }
    for (Wait wait;; wait.pause()) {
        post.poll();
        const std::lock_guard<std::mutex> held(post.lock());
        if (inbox_->spoilt) throw_disagreement(terms_, inbox_->terms, inbox_->other);
        if (inbox_->verdict != Answer::none) return inbox_->verdict == Answer::first;
        // Over without a verdict: it was, before this rank finished; and the foreman need not be there any more.
        if (inbox_->over) return false;
    }
}

bool WorkerExecution::spare(Piece& chunk) {
    if (further_.empty()) return false;
    chunk = further_.back();
    further_.pop_back();
    return true;
}

void WorkerExecution::adopt(const Piece& chunk, std::uint64_t& first, std::uint64_t& end) {
    const std::uint64_t size = stint_.size;
    transport_->waits().worked(size, static_cast<double>(stint_.stop()));
    first = chunk.first;
    end = chunk.end;
    stint_.start(end - first);
    if (first_answer_ == 0) first_answer_ = stint_.begun;
}

void WorkerExecution::give_back(const Piece& chunk) {
    Ask ask;
    ask.loop = transport_->number();
    ask.kind = Ask::back;
    ask.epoch = inbox_->epoch;
    ask.terms = terms_;
    ask.taken = taken_;
    ask.chunk = {.first = chunk.first, .end = chunk.end, .stride = 0, .count = 1};
    const std::lock_guard<std::mutex> held(transport_->post().lock());
    transport_->post().send(ask);
}

void WorkerExecution::answered() {
    const std::uint64_t now = gimbal_rank_ticks();
    // The first one may have waited for the foreman to come to this loop, or for the choice.
    if (taken_ > 0 && waits_) transport_->waits().waited(static_cast<double>(now - asked_at_));
    if (first_answer_ == 0) first_answer_ = now;
    asked_ = waits_ = false;
    ++taken_;
}

// Where waiting counts: hand out the chunk without its end first, and ask at the beginning of that.
void WorkerExecution::ask_in_time(std::uint64_t first, std::uint64_t& end) {
    // A rank that draws for others too has their chunks to run while one of them waits.
    if (want_ != 0) return;
    const std::uint64_t tail = transport_->waits().tail();
    if (tail == 0 || asked_ || inbox_->over || inbox_->any()) return;
    if (tail >= end - first) {
        send(Ask::ahead);
    } else {
        rest_ = {.first = end - tail, .end = end, .stride = 0, .count = 1};
        end -= tail;
    }
}

void WorkerExecution::send(Ask::Kind kind, const Run& chunk) {
    const double tick_s = gimbal_rank_tick_s();
    Ask ask;
    ask.loop = transport_->number();
    ask.kind = kind;
    ask.want = std::max(want_, std::uint32_t{1});
    ask.epoch = inbox_->epoch;
    ask.terms = terms_;
    ask.worked_s = static_cast<double>(stint_.time) * tick_s;
    ask.worked_iters = stint_.iterations;
    ask.wait_s = transport_->waits().wait() * tick_s;
    ask.taken = taken_;
    ask.chunk = chunk;
    const std::uint64_t now = gimbal_rank_ticks();
    if (kind == Ask::bye && first_answer_ > 0) ask.stayed_s = static_cast<double>(now - first_answer_) * tick_s;
    stint_.clear();
    asked_ = kind != Ask::bye;
    asked_at_ = now;
    transport_->post().send(ask);
}

void WorkerExecution::leave() {
    left_ = true;
    stint_.stop();
    for (Piece piece; spare(piece);) give_back(piece);
    const std::lock_guard<std::mutex> held(transport_->post().lock());
    send(Ask::bye, rest_);
    transport_->forget(inbox_->epoch);
}

}  // namespace gimbal::mpi
