// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/foreman_execution.hpp"

#include <algorithm>
#include <array>

#include "gimbal/error.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::uint64_t kPatiencePart = 64;  // of the loop's time so far, for nodes to say that they have left

}  // namespace

void SharingExecution::throw_disagreement(const LoopParameters& first, const LoopParameters& other) {
    told_ = true;
    const LoopParameters& theirs = parameters_ == first ? other : first;
    throw Error(ErrorCode::wrong_use,
                "the ranks of a loop do not agree: " + described(parameters_) + " here, " + described(theirs) +
                    " on another rank",
                kMustAgree);
}

ForemanExecution::ForemanExecution(ForemanTransport& transport, ExecutionState& state, const LoopParameters& parameters)
    : SharingExecution(parameters), transport_(&transport), state_(&state) {
    share.execution = state.execution();
    common.of = state.within();
    state.foreman_came();
}

ForemanExecution::~ForemanExecution() {
    if (left_) return;
    try {
        leave(LeaveMode::in_order);
    } catch (...) {  // a destructor has no use for it
    }
}

bool ForemanExecution::next(std::uint64_t& first, std::uint64_t& end) {
    MessageRouter& router = transport_->router();
    if (unfinished_.count > 0) static_cast<void>(finish(unfinished_.first, unfinished_.end));
    stop();
    MessageRouter::rethrow();
    const bool alone = transport_->team().size() == 1;
    if (!alone) Team::poll_all();
    attend();
    Wait wait;
    Absence absence;
    bool ended = false;
    for (bool dealt = false; !ended; dealt = true) {
        {
            const std::lock_guard<std::mutex> held(router.lock());
            if (state_->spoilt()) throw_disagreement(state_->parameters(), state_->other_parameters());
            if ((chunk_.count > 0 || draw()) && hand_out(first, end)) return true;
            ended = over() || alone;
            if (!ended && !dealt) transport_->deal_out(*state_);
            if (!ended && dealt) transport_->deal_out_to_absent(*state_);
        }
        if (ended) break;
        router.poll();
        absence.note();
        wait.pause();
    }
    make_all_sure();
    return false;
}

// Once it is over this rank need not look at messages any more. Most nodes say soon that they have left.
void ForemanExecution::make_all_sure() {
    MessageRouter& router = transport_->router();
    const std::uint64_t begin = gimbal_rank_ticks();
    const std::uint64_t patience = (begin - state_->opened()) / kPatiencePart;
    for (Wait wait;; wait.pause()) {
        {
            const std::lock_guard<std::mutex> held(router.lock());
            if (state_->unsure() == 0) return;
            if (gimbal_rank_ticks() - begin >= patience) {
                transport_->tell_unsure(*state_);
                return;
            }
        }
        router.poll();
    }
}

// What is in hand goes to the next ranks that ask, and so does its own part: a rank that gets a piece of that when the
// others have run theirs ends half a part later than they.
void ForemanExecution::attend() {
    MessageRouter& router = transport_->router();
    for (Wait wait;; wait.pause()) {
        {
            const std::lock_guard<std::mutex> held(router.lock());
            if (!transport_->answers_only(*state_)) return;
            if (chunk_.count > 0) {
                state_->share_out(0, chunk_);
                chunk_ = {};
            }
            state_->share_out_own(0);
        }
        router.poll();
    }
}

// Threads that share a piece out look at messages from inside of it.
// @return false: the chunk is somebody else's by now
bool ForemanExecution::hand_out(std::uint64_t& first, std::uint64_t& end) {
    const std::uint64_t piece = std::max(transport_->poll_interval().piece(), gimbal_rank_least(state_->execution()));
    const std::uint64_t most = transport_->team().size() == 1 ? UINT64_MAX : piece;
    ChunkRange rest = chunk_;
    cut(rest, most, first, end);
    if (!state_->cut(0, first, end)) {
        chunk_ = {};
        return false;
    }
    chunk_ = rest;
    if (state_->robust()) unfinished_ = {.first = first, .end = end, .stride = 0, .count = 1};
    looks_ = transport_->router().looks();
    unreported_.start(end - first);
    return true;
}

void ForemanExecution::stop() {
    const std::uint64_t size = unreported_.size;
    const std::uint64_t took = unreported_.stop();
    transport_->poll_interval().note(size, took, transport_->router().looks() - looks_);
}

bool ForemanExecution::finish(std::uint64_t first, std::uint64_t end) {
    if (!state_->robust()) return true;
    stop();
    unfinished_ = {};
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    const bool is_first = state_->finish({.first = first, .end = end, .stride = 0, .count = 1});
    transport_->serve(*state_, 0, false);
    return is_first;
}

// What it has done, and what ranks of its node have.
void ForemanExecution::report() {
    state_->report(0, static_cast<double>(unreported_.time) * gimbal_rank_tick_s(), unreported_.iterations, 0);
    unreported_.clear();
    if (!node_) return;
    std::array<TimedChunk, kMaxTimed> times;
    state_->timed(0, std::span(times).first(node_->take_timed(times)));
}

bool ForemanExecution::draw() {
    report();
    if (!state_->draw(0, chunk_)) chunk_ = {};
    transport_->serve(*state_, 0, false);
    return chunk_.count > 0;
}

bool ForemanExecution::spare(ChunkBounds& chunk) {
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    ChunkRange run;
    if (!state_->draw_for_others(0, run)) return false;
    chunk = {.first = run.first, .end = run.end};
    transport_->serve(*state_, 0, false);
    return true;
}

void ForemanExecution::adopt(const ChunkBounds& chunk, std::uint64_t& first, std::uint64_t& end) {
    stop();
    MessageRouter::rethrow();
    Team::poll_all();
    chunk_ = one(chunk);
    hand_out(first, end);
}

void ForemanExecution::give_back(const ChunkRange& chunks) {
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    transport_->left_behind(*state_, chunks);
    transport_->serve(*state_, 0, true);
}

UnreportedWork ForemanExecution::take_unreported() noexcept {
    stop();
    return SharingExecution::take_unreported();
}

void ForemanExecution::say_left(std::span<const Stay> stays) {
    ChunkRequest request;
    request.by_node = 1;
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    report();
    for (const Stay& stay : stays) {
        request.stays[0] = stay;
        request.leaving = 1;
        transport_->left_together(*state_, request);
    }
}

// Nobody needs this rank any more.
bool ForemanExecution::over() {
    if (state_->spoilt() || state_->all_out()) return true;
    return state_->untold() == (state_->rank_state(0).told_over ? 0U : 1U);
}

// The state may be freed here.
void ForemanExecution::leave_now() {
    report();
    state_->foreman_leaves(unreported_.ran);
    const bool tell = state_->spoilt() && !told_;
    const LoopParameters first = state_->parameters();
    const LoopParameters other = state_->other_parameters();
    transport_->left(*state_);
    if (tell) throw_disagreement(first, other);
}

void ForemanExecution::leave(LeaveMode how) {
    left_ = true;
    MessageRouter& router = transport_->router();
    unreported_.stop();
    Wait wait;
    Absence absence;
    for (bool dealt = false;; dealt = true) {
        {
            const std::lock_guard<std::mutex> held(router.lock());
            if (chunk_.count > 0 && !state_->robust()) transport_->left_behind(*state_, chunk_);
            if (state_->robust() && !dealt) state_->abandon(0);
            chunk_ = {};
            if (!dealt) state_->release_own(0);
            if (!over() && !dealt) transport_->deal_out(*state_);
            if (!over() && dealt) transport_->deal_out_to_absent(*state_);
            transport_->serve(*state_, 0, false);
            if (how == LeaveMode::at_once || over()) {
                transport_->tell_unsure(*state_);
                leave_now();
                return;
            }
        }
        router.poll();
        absence.note();
        wait.pause();
    }
}

}  // namespace gimbal::mpi
