// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank does that gets its chunks from the foreman.
#include <algorithm>
#include <array>

#include "gimbal/error.hpp"
#include "loop/foreman_execution.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

WorkerExecution::WorkerExecution(ForemanTransport& transport, Inbox& inbox, const LoopParameters& parameters)
    : SharingExecution(parameters), transport_(&transport), inbox_(&inbox), robust_(transport.robust(parameters)) {}

WorkerExecution::~WorkerExecution() {
    if (left_) return;
    try {
        leave(LeaveMode::in_order);
    } catch (...) {  // a destructor has no use for it
    }
}

bool WorkerExecution::next(std::uint64_t& first, std::uint64_t& end) {
    if (unfinished_.count > 0) static_cast<void>(finish(unfinished_.first, unfinished_.end));
    const std::uint64_t size = unreported_.size;
    transport_->waits().worked(size, static_cast<double>(unreported_.stop()));
    MessageRouter& router = transport_->router();
    for (Wait wait;; wait.pause()) {
        router.poll();
        const std::lock_guard<std::mutex> held(router.lock());
        if (inbox_->spoilt) throw_disagreement(inbox_->parameters, inbox_->other);
        if (inbox_->any() || inbox_->over) {
            if (!(inbox_->parameters == parameters_)) throw_disagreement(inbox_->parameters, parameters_);
        }
        if (hand_out(first, end)) {
            unreported_.start(end - first);
            return true;
        }
        if (inbox_->over) return false;
        if (!asked_) send(ChunkRequest::more);
        waits_ = true;
    }
}

// What is here: the end of a chunk, chunks of a run, what has come.
bool WorkerExecution::hand_out(std::uint64_t& first, std::uint64_t& end) {
    if (rest_.count > 0) {
        if (!asked_ && !inbox_->over && !inbox_->any()) send(ChunkRequest::ahead);
        cut(rest_, UINT64_MAX, first, end);
        return true;
    }
    ChunkBounds piece;
    if (run_.count == 0 && spare(piece)) {
        first = piece.first;
        end = piece.end;
        return true;
    }
    if (run_.count == 0) {
        if (!inbox_->any()) return false;
        const Inbox::Item item = inbox_->take();
        if (item.reply)
            answered();
        else
            ++pushed_;
        follow(inbox_->within);
        run_ = item.run;
        further_.assign(item.further.rbegin(), item.further.rend());  // the first is taken first
    }
    first = run_.first;
    end = std::min(run_.end, parameters_.trip);
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
    const std::uint64_t size = unreported_.size;
    transport_->waits().worked(size, static_cast<double>(unreported_.stop()));
    unfinished_ = {};
    MessageRouter& router = transport_->router();
    {
        const std::lock_guard<std::mutex> held(router.lock());
        if (inbox_->over && !inbox_->spoilt) return false;
        inbox_->verdict = ChunkReply::none;
        send(ChunkRequest::done, {.first = first, .end = end, .stride = 0, .count = 1});
    }
    for (Wait wait;; wait.pause()) {
        router.poll();
        const std::lock_guard<std::mutex> held(router.lock());
        if (inbox_->spoilt) throw_disagreement(inbox_->parameters, inbox_->other);
        if (inbox_->verdict != ChunkReply::none) return inbox_->verdict == ChunkReply::first;
        // Over without a verdict: it was, before this rank finished; and the foreman need not be there any more.
        if (inbox_->over) return false;
    }
}

bool WorkerExecution::spare(ChunkBounds& chunk) {
    if (further_.empty()) return false;
    chunk = further_.back();
    further_.pop_back();
    return true;
}

void WorkerExecution::adopt(const ChunkBounds& chunk, std::uint64_t& first, std::uint64_t& end) {
    const std::uint64_t size = unreported_.size;
    transport_->waits().worked(size, static_cast<double>(unreported_.stop()));
    first = chunk.first;
    end = chunk.end;
    unreported_.start(end - first);
    if (first_answer_ == 0) first_answer_ = unreported_.begun;
}

void WorkerExecution::follow(std::uint64_t within) {
    if (common.of != within) gimbal_rank_follow(&common, within, static_cast<std::uint32_t>(transport_->team().size()));
}

void WorkerExecution::give_back(const ChunkRange& chunks) {
    ChunkRequest request = request_of(ChunkRequest::back);
    request.chunk = chunks;
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    transport_->router().send(request);
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
        send(ChunkRequest::ahead);
    } else {
        rest_ = {.first = end - tail, .end = end, .stride = 0, .count = 1};
        end -= tail;
    }
}

ChunkRequest WorkerExecution::request_of(ChunkRequest::Kind kind) const {
    ChunkRequest request;
    request.loop = transport_->number();
    request.kind = kind;
    request.epoch = inbox_->epoch;
    request.parameters = parameters_;
    request.taken = taken_;
    request.pushed = pushed_;
    return request;
}

// With what has been done since the last one.
ChunkRequest WorkerExecution::report_of(ChunkRequest::Kind kind) {
    const double tick_s = gimbal_rank_tick_s();
    ChunkRequest request = request_of(kind);
    request.want = std::max(want_, std::uint32_t{1});
    request.worked_s = static_cast<double>(unreported_.time) * tick_s;
    request.worked_iters = unreported_.iterations;
    const Waits& waits = transport_->waits();
    request.wait_s = (want_ != 0 ? waits.drawing() : waits.wait()) * tick_s;
    unreported_.clear();
    if (node_) request.timed = node_->take_timed(request.times);
    return request;
}

void WorkerExecution::send(ChunkRequest::Kind kind, const ChunkRange& chunk) {
    ChunkRequest request = report_of(kind);
    request.chunk = chunk;
    asked_ = true;
    asked_at_ = gimbal_rank_ticks();
    transport_->router().send(request);
}

void WorkerExecution::say_bye() {
    ChunkRequest request = report_of(ChunkRequest::bye);
    request.chunk = rest_;
    request.by_node = stay_.rank != Stay::kNobody ? 1 : 0;
    const std::uint64_t stayed = first_answer_ > 0 ? gimbal_rank_ticks() - first_answer_ : 0;
    request.stays[0] = request.by_node ? stay_ : Stay{.to_s = static_cast<double>(stayed) * gimbal_rank_tick_s()};
    request.stays[0].rank = static_cast<std::uint32_t>(transport_->team().rank());
    request.stays[0].moves = static_cast<std::uint32_t>(gimbal_rank_moves());
    request.leaving = 1;
    std::array<gimbal_rank_cost, GIMBAL_RANK_MAX_COSTS> costs;
    const auto ranks = static_cast<std::uint32_t>(transport_->team().size());
    const std::size_t count = gimbal_rank_costs(&common, ranks, unreported_.ran.iterations, costs.data());
    transport_->router().send(request, std::span(costs).first(count));
}

bool WorkerExecution::has_ended() const {
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    return inbox_->over && has_nothing();
}

bool WorkerExecution::ended_for_node() const {
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    return inbox_->node_over && !inbox_->spoilt;
}

bool WorkerExecution::waits_for_nothing() const {
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    return !asked_ && has_nothing();
}

// @pre the router is locked
bool WorkerExecution::has_nothing() const {
    return !inbox_->spoilt && !inbox_->any() && !told_ && rest_.count == 0 && run_.count == 0 && further_.empty() &&
           unfinished_.count == 0;
}

void WorkerExecution::say_left(std::span<const Stay> stays) {
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    while (!stays.empty()) {
        ChunkRequest request = report_of(ChunkRequest::bye);
        request.by_node = 1;
        request.leaving = static_cast<std::uint32_t>(std::min<std::size_t>(stays.size(), kMaxStays));
        std::copy_n(stays.begin(), request.leaving, request.stays.begin());
        stays = stays.subspan(request.leaving);
        transport_->router().send(request);
    }
}

void WorkerExecution::leave_unsaid() {
    left_ = true;
    unreported_.stop();
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    transport_->forget(inbox_->epoch);
}

void WorkerExecution::leave(LeaveMode) {
    left_ = true;
    unreported_.stop();
    transport_->router().poll();
    // The end of a chunk goes with the last message, and what it has not begun the foreman knows. So it does of chunks
    // that may run twice.
    for (ChunkBounds piece; spare(piece);) give_back(one(piece));
    if (run_.count > 0 && !robust_) give_back(run_);
    const std::lock_guard<std::mutex> held(transport_->router().lock());
    say_bye();
    const bool tell = inbox_->spoilt && !told_;
    const LoopParameters first = inbox_->parameters;
    const LoopParameters other = inbox_->other;
    transport_->forget(inbox_->epoch);
    if (tell) throw_disagreement(first, other);
}

}  // namespace gimbal::mpi
