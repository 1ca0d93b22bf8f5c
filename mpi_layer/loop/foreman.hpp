// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loop/execution_state.hpp"
#include "loop/inbox.hpp"
#include "loop/message_router.hpp"
#include "loop/poll_interval.hpp"
#include "loop/transport.hpp"

namespace gimbal::mpi {

class SharingExecution;

/// Rank 0, the foreman, hands out all chunks by messages, and works too: it answers between pieces of its own chunks
/// and from inside its loops of the thread level. Nobody waits for a rank that is not there: the first rank in an
/// execution opens it at the foreman by asking, and when nothing is left the foreman tells everybody unasked.
class ForemanTransport final : public Transport {
public:
    /// @param sharing  ranks of a node run each other's chunks
    ForemanTransport(Team& team, const std::string& name, bool sharing = false);
    ~ForemanTransport() override;

    [[nodiscard]] std::unique_ptr<RankExecution> enter(const Request& request) override;
    void refuse() override;
    /// As enter(); what it draws can be shared with other ranks.
    [[nodiscard]] std::unique_ptr<SharingExecution> open(const Request& request);
    [[nodiscard]] std::string_view name() const noexcept override { return "foreman"; }

    /// Messages about this loop. @param costs  that came with it; void afterwards
    void on_request(int source, const ChunkRequest& request, std::span<const gimbal_rank_cost> costs);
    void on_reply(const ChunkReply& answer);
    /// Robust loops: chunks may have become late.
    void poll() override;

    // What the executions of this rank use; under router().lock().
    [[nodiscard]] Team& team() noexcept { return *team_; }
    [[nodiscard]] MessageRouter& router() noexcept { return *router_; }
    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    [[nodiscard]] PollInterval& poll_interval() noexcept { return poll_interval_; }
    [[nodiscard]] Waits& waits() noexcept { return waits_; }
    /// Foreman: it should answer now and not work.
    [[nodiscard]] bool answers_only(ExecutionState& state) const;
    /// Whether executions on such parameters run chunks again that are late.
    [[nodiscard]] bool robust(const LoopParameters& parameters) const noexcept {
        return parameters.idempotent == 1 && team_->settings().robust != 0;
    }

    /// Foreman: hand out what can be handed out now. @param all  to all that wait; else to `rank` alone
    void serve(ExecutionState& state, std::uint32_t rank, bool all);
    /// Foreman: it wants to go. Send to others what only they may have, and some more.
    void deal_out(ExecutionState& state);
    /// Foreman: it waits for others to ask. Where all that may ask wait elsewhere, maybe for this rank, send them all
    /// that is left, in equal parts.
    void deal_out_to_absent(ExecutionState& state);
    /// Foreman: tell those themselves for whom another rank was told, and of whom nothing has been heard since.
    void tell_unsure(ExecutionState& state);
    /// Foreman: a rank has left without the end of a chunk that it had begun.
    void left_behind(ExecutionState& state, const ChunkRange& chunk);
    /// Foreman: a rank has left; the state is freed with the last one.
    void left(ExecutionState& state);
    /// Foreman: ranks of its node have left in order. @param request  a `bye` that says so
    void left_together(ExecutionState& state, const ChunkRequest& request) { ranks_leave(state, 0, request); }
    /// Worker: it needs no more answers of that execution.
    void forget(std::uint64_t epoch) noexcept;

private:
    [[nodiscard]] LoopParameters parameters_of(const Request& request);
    [[nodiscard]] std::unique_ptr<SharingExecution> open(const LoopParameters& parameters);
    void hear_of_the_last();
    [[nodiscard]] int schedule_of(const LoopParameters& parameters);
    [[nodiscard]] ExecutionState* find_state(std::uint64_t epoch) noexcept;
    [[nodiscard]] ExecutionState& make_state(std::uint64_t epoch, const LoopParameters& parameters);
    [[nodiscard]] Inbox& inbox_of(std::uint64_t epoch);
    void offer(ExecutionState& state, std::uint32_t rank);
    void push(ExecutionState& state, std::uint32_t rank, const ChunkRange& chunks);
    void tell_over(ExecutionState& state);
    void spoil(ExecutionState& state, const LoopParameters& other);
    bool ranks_leave(ExecutionState& state, std::uint32_t rank, const ChunkRequest& request);
    void close(ExecutionState& state);
    void close_without_missing();
    void send_late_verdict(int rank, const ChunkRequest& request);
    void answer(ExecutionState& state, std::uint32_t rank, ChunkReply::Kind kind, const ChunkRange& run = {},
                bool reply = false, std::uint32_t want = 1);

    Team* team_;
    std::string loop_name_;
    MessageRouter* router_;
    std::uint32_t number_;
    std::uint64_t next_epoch_ = 0;
    LoopParameters last_parameters_{};  // of last_schedule_: what it is called
    int last_schedule_ = 0;
    PollInterval poll_interval_;
    Waits waits_;
    // The foreman's.
    Attendance attendance_;
    double questions_ = 0;  // that were answered with work
    double chunks_ = 0;     // in these answers
    void* site_ = nullptr;
    RankGroups groups_;
    std::vector<std::unique_ptr<ExecutionState>> states_;
    std::vector<std::uint32_t> moves_;  // [ranks] by placement, as they said last
    // A worker's.
    std::vector<std::unique_ptr<Inbox>> inboxes_;
};

}  // namespace gimbal::mpi
