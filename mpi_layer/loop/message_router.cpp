// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/message_router.hpp"

#include "team/check.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr int kAtOnce = 4;  // questions of each rank that are answered in one look

int g_foremen = 0;             // teams of this process whose rank 0 this is
std::exception_ptr g_failure;  // met in a callback

}  // namespace

MessageRouter& MessageRouter::of(Team& team) {
    if (Member* const post = team.find("post", "")) return static_cast<MessageRouter&>(*post);
    return static_cast<MessageRouter&>(
        team.make_member("post", "", "messages of loops", [&] { return std::make_unique<MessageRouter>(team); }));
}

MessageRouter::MessageRouter(Team& team)
    : team_(&team), tag_ask_(team.tags(2)), tag_answer_(tag_ask_ + 1), sent_(static_cast<std::size_t>(team.size())) {
    if (team.rank() == 0 && team.size() > 1 && ++g_foremen == 1)
        gimbal_progress_set(from_inside_a_loop, nullptr, team.settings().poll_us);
}

// Messages that MPI has not taken by now are for ranks that will never look: their bytes stay.
MessageRouter::~MessageRouter() {
    if (team_->rank() == 0 && team_->size() > 1 && --g_foremen == 0) gimbal_progress_set(nullptr, nullptr, 1);
    for (auto& envelope : envelopes_) {
        int done = 0;
        if (MPI_Test(&envelope->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) continue;
        MPI_Request_free(&envelope->request);
        static_cast<void>(envelope.release());
    }
}

std::uint32_t MessageRouter::enrol(MessageHandler& correspondent) {
    const std::lock_guard<std::mutex> held(lock_);
    loops_.push_back(&correspondent);
    return static_cast<std::uint32_t>(loops_.size() - 1);
}

void MessageRouter::deliver_early(std::uint32_t loop) {
    const std::lock_guard<std::mutex> held(lock_);
    MessageHandler& correspondent = *loops_[loop];
    const auto asks = std::exchange(early_asks_, {});
    for (const auto& [source, ask] : asks) {
        if (ask.loop == loop) {
            correspondent.on_ask(source, ask);
        } else {
            early_asks_.emplace_back(source, ask);
        }
    }
    const auto answers = std::exchange(early_answers_, {});
    for (const ChunkReply& answer : answers) {
        if (answer.loop == loop) {
            correspondent.on_answer(answer);
        } else {
            early_answers_.push_back(answer);
        }
    }
}

void MessageRouter::withdraw(std::uint32_t loop) noexcept {
    loops_[loop] = nullptr;
}

// In turn: the oldest message is the likeliest to be gone.
MessageRouter::Envelope& MessageRouter::free_envelope() {
    if (!envelopes_.empty()) {
        next_envelope_ = (next_envelope_ + 1) % envelopes_.size();
        Envelope& oldest = *envelopes_[next_envelope_];
        int done = 0;
        check(MPI_Test(&oldest.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) return oldest;
    }
    next_envelope_ = envelopes_.size();
    return *envelopes_.emplace_back(std::make_unique<Envelope>());
}

void MessageRouter::send(const ChunkRequest& ask) {
    Envelope& envelope = free_envelope();
    envelope.ask = ask;
    ++sent_[0];
    check(MPI_Isend(&envelope.ask, sizeof ask, MPI_BYTE, 0, tag_ask_, team_->comm(), &envelope.request), "MPI_Isend");
}

void MessageRouter::send(const ChunkReply& answer, int rank) {
    Envelope& envelope = free_envelope();
    envelope.answer = answer;
    ++sent_[static_cast<std::size_t>(rank)];
    check(MPI_Isend(&envelope.answer, static_cast<int>(answer.bytes()), MPI_BYTE, rank, tag_answer_, team_->comm(),
                    &envelope.request),
          "MPI_Isend");
}

void MessageRouter::poll() {
    const std::unique_lock<std::mutex> held(lock_, std::try_to_lock);
    if (!held) return;  // somebody is at it
    ++looks_;
    if (team_->rank() == 0) {
        take_asks();
    } else {
        take_answers();
    }
}

// So many at once and no more: who serves has work of its own.
void MessageRouter::take_asks() {
    for (int left = kAtOnce * team_->size(); left > 0; --left) {
        int there = 0;
        MPI_Status status;
        // MPICH looks first and fetches what has come then: without a second look every question waits for one more
        // piece of work.
        for (int look = 0; look < 2 && !there; ++look)
            check(MPI_Iprobe(MPI_ANY_SOURCE, tag_ask_, team_->comm(), &there, &status), "MPI_Iprobe");
        if (!there) return;
        ChunkRequest ask;
        check(MPI_Recv(&ask, sizeof ask, MPI_BYTE, status.MPI_SOURCE, tag_ask_, team_->comm(), MPI_STATUS_IGNORE),
              "MPI_Recv");
        ++taken_;
        if (ask.loop >= loops_.size()) {
            early_asks_.emplace_back(status.MPI_SOURCE, ask);
        } else if (loops_[ask.loop]) {
            loops_[ask.loop]->on_ask(status.MPI_SOURCE, ask);
        }
    }
}

void MessageRouter::take_answers() {
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
            loops_[answer.loop]->on_answer(answer);
        }
    }
}

void MessageRouter::take_until(std::uint64_t sent) {
    for (Wait wait; taken_ < sent; wait.pause()) poll();
}

// First what the workers said, since the foreman answers some of it.
void MessageRouter::settle() {
    if (team_->size() == 1) return;
    std::uint64_t asks = sent_[0], all_asks = 0, answers = 0;
    check(MPI_Reduce(&asks, &all_asks, 1, MPI_UINT64_T, MPI_SUM, 0, team_->comm()), "MPI_Reduce");
    if (team_->rank() == 0) take_until(all_asks);
    check(MPI_Scatter(sent_.data(), 1, MPI_UINT64_T, &answers, 1, MPI_UINT64_T, 0, team_->comm()), "MPI_Scatter");
    if (team_->rank() != 0) take_until(answers);
}

void MessageRouter::from_inside_a_loop(void*) noexcept {
    try {
        Team::poll_all();
    } catch (...) {
        if (!g_failure) g_failure = std::current_exception();
    }
}

void MessageRouter::rethrow() {
    if (g_failure) std::rethrow_exception(std::exchange(g_failure, nullptr));
}

}  // namespace gimbal::mpi
