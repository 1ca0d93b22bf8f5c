// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/foreman_execution.hpp"

#include "gimbal/error.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

void SharingExecution::throw_disagreement(const LoopParameters& first, const LoopParameters& other) {
    told_ = true;
    const LoopParameters& theirs = terms_ == first ? other : first;
    throw Error(
        ErrorCode::wrong_use,
        "the ranks of a loop do not agree: " + described(terms_) + " here, " + described(theirs) + " on another rank",
        kMustAgree);
}

ForemanExecution::ForemanExecution(ForemanTransport& transport, ExecutionState& board, const LoopParameters& terms)
    : SharingExecution(terms), transport_(&transport), board_(&board) {
    share.execution = board.execution();
}

ForemanExecution::~ForemanExecution() {
    if (left_) return;
    try {
        leave(Leaving::in_order);
    } catch (...) {  // whoever destroys it has no use for it
    }
}

bool ForemanExecution::next(std::uint64_t& first, std::uint64_t& end) {
    MessageRouter& post = transport_->post();
    if (unfinished_.count > 0) static_cast<void>(finish(unfinished_.first, unfinished_.end));
    stop();
    MessageRouter::rethrow();
    const bool alone = transport_->team().size() == 1;
    if (!alone) Team::poll_all();
    Wait wait;
    for (bool dealt = false;; dealt = true) {
        {
            const std::lock_guard<std::mutex> held(post.lock());
            if (board_->spoilt()) throw_disagreement(board_->terms(), board_->other_terms());
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
    ChunkRange rest = chunk_;
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

bool ForemanExecution::spare(ChunkBounds& chunk) {
    const std::lock_guard<std::mutex> held(transport_->post().lock());
    ChunkRange run;
    if (!board_->draw_for_others(0, run)) return false;
    chunk = {.first = run.first, .end = run.end};
    transport_->serve(*board_, 0, false);
    return true;
}

void ForemanExecution::adopt(const ChunkBounds& chunk, std::uint64_t& first, std::uint64_t& end) {
    stop();
    MessageRouter::rethrow();
    Team::poll_all();
    chunk_ = {.first = chunk.first, .end = chunk.end, .stride = 0, .count = 1};
    hand_out(first, end);
}

void ForemanExecution::give_back(const ChunkBounds& chunk) {
    const std::lock_guard<std::mutex> held(transport_->post().lock());
    transport_->left_behind(*board_, {.first = chunk.first, .end = chunk.end, .stride = 0, .count = 1});
    transport_->serve(*board_, 0, true);
}

UnreportedWork ForemanExecution::take_stint() noexcept {
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

// The board may go with it.
void ForemanExecution::leave_now() {
    board_->report(0, static_cast<double>(stint_.time) * gimbal_rank_tick_s(), stint_.iterations, 0);
    board_->leave(0, 0, -1);
    const bool tell = board_->spoilt() && !told_;
    const LoopParameters first = board_->terms();
    const LoopParameters other = board_->other_terms();
    transport_->left(*board_);
    if (tell) throw_disagreement(first, other);
}

void ForemanExecution::leave(Leaving how) {
    left_ = true;
    MessageRouter& post = transport_->post();
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
            if (how == Leaving::at_once || over()) {
                leave_now();
                return;
            }
        }
        post.poll();
        wait.pause();
    }
}

}  // namespace gimbal::mpi
