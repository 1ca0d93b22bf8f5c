// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/message_router.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "gimbal/per_rank.hpp"
#include "loop/foreman.hpp"
#include "team/errors.hpp"
#include "team/meeting.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kFewEnvelopes = 64;  // that a foreman has at least
constexpr double kNew = 1.0 / 64;          // weight of the last message in the usual time of one
constexpr int kAtOnce = 4;                 // questions of each rank that are answered in one look

/// What loops of the thread level call, for all teams whose rank 0 this is.
struct FromLoops {
    std::atomic<bool> failed{false};
    std::mutex lock;             // of:
    int foremen = 0;             // such teams
    std::exception_ptr failure;  // met there
};

FromLoops& from_loops() {
    static PerRank<FromLoops> of_this_rank;
    return of_this_rank.here();
}

// Under MPI_THREAD_SERIALIZED a program sees to it that its own calls of MPI do not meet. It cannot do so for those
// from inside its loops, of which it knows nothing.
bool may_look_inside_loops() {
    int level = MPI_THREAD_SINGLE;
    check(MPI_Query_thread(&level), "MPI_Query_thread");
    return level != MPI_THREAD_SERIALIZED;
}

}  // namespace

MessageRouter& MessageRouter::of(Team& team) {
    if (Member* const found = team.find("message router", "")) return static_cast<MessageRouter&>(*found);
    return static_cast<MessageRouter&>(team.make_member("message router", "", "messages of loops",
                                                        [&] { return std::make_unique<MessageRouter>(team); }));
}

MessageRouter::MessageRouter(Team& team)
    : team_(&team),
      tag_request_(team.tags(2)),
      tag_answer_(tag_request_ + 1),
      sent_(static_cast<std::size_t>(team.size())),
      absent_(static_cast<std::size_t>(team.size())) {
    if (team.rank() != 0 || team.size() == 1) return;
    const bool looks = may_look_inside_loops();
    FromLoops& own = from_loops();
    const std::lock_guard<std::mutex> held(own.lock);
    ++own.foremen;
    if (looks) gimbal_progress_set(from_inside_a_loop, nullptr, team.settings().poll_us);  // of this thread
}

// Messages that MPI has not taken by now are for ranks that will never look: their bytes stay.
MessageRouter::~MessageRouter() {
    if (team_->rank() == 0 && team_->size() > 1) {
        FromLoops& own = from_loops();
        const std::lock_guard<std::mutex> held(own.lock);
        if (--own.foremen == 0) gimbal_progress_set(nullptr, nullptr, 1);  // of the threads that made them
    }
    for (std::size_t k = 0; k < envelopes_.size(); ++k) {
        int done = 0;
        if (sending_[k] == MPI_REQUEST_NULL) continue;
        if (MPI_Test(&sending_[k], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) continue;
        MPI_Request_free(&sending_[k]);
        static_cast<void>(envelopes_[k].release());
    }
}

std::uint32_t MessageRouter::enrol(ForemanTransport& transport) {
    const std::lock_guard<std::mutex> held(lock_);
    loops_.push_back(&transport);
    return static_cast<std::uint32_t>(loops_.size() - 1);
}

void MessageRouter::deliver_early(std::uint32_t loop) {
    const std::lock_guard<std::mutex> held(lock_);
    ForemanTransport& transport = *loops_[loop];
    const auto requests = std::exchange(early_requests_, {});
    for (const auto& [source, request] : requests) {
        if (request.loop == loop) {
            transport.on_request(source, request, {});
        } else {
            early_requests_.emplace_back(source, request);
        }
    }
    const auto answers = std::exchange(early_answers_, {});
    for (const ChunkReply& answer : answers) {
        if (answer.loop == loop) {
            transport.on_reply(answer);
        } else {
            early_answers_.push_back(answer);
        }
    }
}

void MessageRouter::withdraw(std::uint32_t loop) noexcept {
    loops_[loop] = nullptr;
}

// One look at many: the foreman sends thousands of messages in a row, which are gone at once or nearly so.
void MessageRouter::find_free_envelopes() {
    const std::size_t few = team_->rank() == 0 ? kFewEnvelopes : 1;
    if (envelopes_.size() >= few) {
        free_.resize(envelopes_.size());
        int gone = 0;
        check(
            MPI_Testsome(static_cast<int>(sending_.size()), sending_.data(), &gone, free_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
        free_.resize(gone == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(gone));
    }
    if (4 * free_.size() > envelopes_.size()) return;
    const std::size_t wanted = std::max(few, 2 * envelopes_.size());
    while (envelopes_.size() < wanted) {
        free_.push_back(static_cast<int>(envelopes_.size()));
        envelopes_.push_back(std::make_unique<Envelope>());
        sending_.push_back(MPI_REQUEST_NULL);
    }
}

std::size_t MessageRouter::free_envelope() {
    if (free_.empty()) find_free_envelopes();
    const int found = free_.back();
    free_.pop_back();
    return static_cast<std::size_t>(found);
}

void MessageRouter::send(const ChunkRequest& request, std::span<const gimbal_rank_cost> costs) {
    const std::size_t at = free_envelope();
    Envelope& envelope = *envelopes_[at];
    std::memcpy(&envelope.request, &request, request.bytes());
    const void* bytes = &envelope.request;
    std::size_t size = request.bytes();
    if (!costs.empty()) {
        envelope.request.costs = static_cast<std::uint32_t>(costs.size());
        const auto* const first = reinterpret_cast<const std::byte*>(bytes);
        envelope.with_costs.assign(first, first + size);
        const std::span<const std::byte> behind = std::as_bytes(costs);
        envelope.with_costs.insert(envelope.with_costs.end(), behind.begin(), behind.end());
        bytes = envelope.with_costs.data();
        size = envelope.with_costs.size();
    }
    ++sent_[0];
    check(MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, 0, tag_request_, team_->comm(), &sending_[at]),
          "MPI_Isend");
}

void MessageRouter::send(const ChunkReply& answer, int rank) {
    const std::size_t at = free_envelope();
    std::memcpy(&envelopes_[at]->answer, &answer, answer.bytes());
    ++sent_[static_cast<std::size_t>(rank)];
    check(MPI_Isend(&envelopes_[at]->answer, static_cast<int>(answer.bytes()), MPI_BYTE, rank, tag_answer_,
                    team_->comm(), &sending_[at]),
          "MPI_Isend");
}

void MessageRouter::poll() {
    const std::unique_lock<std::mutex> held(lock_, std::try_to_lock);
    if (!held) return;  // somebody is at it
    looks_.fetch_add(1, std::memory_order_relaxed);
    if (team_->rank() == 0) {
        take_requests();
    } else {
        take_replies();
        tell_foreman();
    }
}

// So many at once and no more: who serves has work of its own.
void MessageRouter::take_requests() {
    for (int left = kAtOnce * team_->size(); left > 0; --left) {
        int there = 0;
        MPI_Status status;
        // MPICH looks first and fetches what has come then: without a second look every question waits for one more
        // piece of work.
        for (int look = 0; look < 2 && !there; ++look)
            check(MPI_Iprobe(MPI_ANY_SOURCE, tag_request_, team_->comm(), &there, &status), "MPI_Iprobe");
        if (!there) return;
        const std::uint64_t begin = gimbal_rank_ticks();
        take_request(status.MPI_SOURCE);
        const auto took = static_cast<double>(gimbal_rank_ticks() - begin);
        service_ = service_ > 0 ? service_ + kNew * (took - service_) : took;
    }
}

// Costs come only to a loop whose chunks say that they are wanted, so never early.
void MessageRouter::take_request(int source) {
    check(MPI_Recv(&incoming_, sizeof incoming_, MPI_BYTE, source, tag_request_, team_->comm(), MPI_STATUS_IGNORE),
          "MPI_Recv");
    ++taken_;
    const ChunkRequest& request = incoming_.request;
    absent_[static_cast<std::size_t>(source)] = request.kind == ChunkRequest::absent;
    if (request.kind == ChunkRequest::absent || request.kind == ChunkRequest::here) return;
    if (request.loop >= loops_.size()) {
        early_requests_.emplace_back(source, request);
        return;
    }
    if (!loops_[request.loop]) return;
    std::vector<gimbal_rank_cost> costs(std::min<std::size_t>(request.costs, GIMBAL_RANK_MAX_COSTS));
    const std::byte* const behind = reinterpret_cast<const std::byte*>(&incoming_) + request.bytes();
    if (!costs.empty()) std::memcpy(costs.data(), behind, costs.size() * sizeof costs[0]);
    loops_[request.loop]->on_request(source, request, costs);
}

void MessageRouter::take_replies() {
    for (;;) {
        int there = 0;
        check(MPI_Iprobe(0, tag_answer_, team_->comm(), &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
        if (!there) return;
        ChunkReply answer;
        check(MPI_Recv(&answer, sizeof answer, MPI_BYTE, 0, tag_answer_, team_->comm(), MPI_STATUS_IGNORE), "MPI_Recv");
        ++taken_;
        if (answer.loop >= loops_.size()) {
            early_answers_.push_back(answer);
        } else if (loops_[answer.loop]) {
            loops_[answer.loop]->on_reply(answer);
        }
    }
}

void MessageRouter::say_absent(bool absent) noexcept {
    if (team_->rank() == 0) return;
    const std::lock_guard<std::mutex> held(lock_);
    waits_elsewhere_ = absent;
    tell_foreman();
}

// What cannot be sent costs others time at most, and what comes next says what is wrong.
void MessageRouter::tell_foreman() noexcept {
    if (settling_) return;
    try {
        const int sent = absence_messages_.send(waits_elsewhere_, team_->comm(), tag_request_);
        sent_[0] += static_cast<std::uint64_t>(sent);
    } catch (...) {
    }
}

// From now on it sends no more of its own accord.
std::uint64_t MessageRouter::sent_to_foreman() {
    const std::lock_guard<std::mutex> held(lock_);
    settling_ = true;
    return sent_[0];
}

bool MessageRouter::take_until(std::uint64_t sent, double patience_s) {
    const double begin = MPI_Wtime();
    for (Wait wait;; wait.pause()) {
        poll();
        const std::lock_guard<std::mutex> held(lock_);
        if (taken_ >= sent && absence_messages_.received()) return true;
        if (patience_s > 0 && MPI_Wtime() - begin > patience_s) return false;
    }
}

namespace {

/// How many messages there were, as ranks tell each other. It must stay in memory as long as MPI may use it.
struct Sent {
    std::uint64_t mine = 0;           // to the foreman
    std::uint64_t to_foreman = 0;     // of all ranks
    std::vector<std::uint64_t> to{};  // [P] of the foreman to each
};

}  // namespace

// First what the workers said, since the foreman answers some of it.
bool MessageRouter::settle(double patience_s) {
    if (team_->size() == 1) return true;
    const bool foreman = team_->rank() == 0;
    auto sent = std::make_unique<Sent>();
    sent->mine = sent_to_foreman();
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ireduce(&sent->mine, &sent->to_foreman, 1, MPI_UINT64_T, MPI_SUM, 0, team_->comm(), &request),
          "MPI_Ireduce");
    bool done = await(request, patience_s) && (!foreman || take_until(sent->to_foreman, patience_s));
    if (done) {
        sent->to = sent_;
        check(MPI_Ibcast(sent->to.data(), team_->size(), MPI_UINT64_T, 0, team_->comm(), &request), "MPI_Ibcast");
        done = await(request, patience_s) &&
               (foreman || take_until(sent->to[static_cast<std::size_t>(team_->rank())], patience_s));
    }
    if (!done) static_cast<void>(sent.release());  // MPI may still use it
    return done;
}

void MessageRouter::from_inside_a_loop(void*) noexcept {
    try {
        Team::poll_all();
    } catch (...) {
        FromLoops& own = from_loops();
        const std::lock_guard<std::mutex> held(own.lock);
        if (!own.failure) own.failure = std::current_exception();
        own.failed.store(true, std::memory_order_release);  // partner: rethrow()
    }
}

void MessageRouter::rethrow() {
    FromLoops& own = from_loops();
    if (!own.failed.load(std::memory_order_acquire)) return;
    std::exception_ptr failure;
    {
        const std::lock_guard<std::mutex> held(own.lock);
        own.failed.store(false, std::memory_order_relaxed);
        failure = std::exchange(own.failure, nullptr);
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace gimbal::mpi
