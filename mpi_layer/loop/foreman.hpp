// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "loop/board.hpp"
#include "loop/inbox.hpp"
#include "loop/pace.hpp"
#include "loop/post.hpp"
#include "loop/transport.hpp"

namespace gimbal::mpi {

class SharingExecution;

/// Rank 0, the foreman, hands out all chunks by messages, and works too: it answers between pieces of its own chunks
/// and from inside its loops of the thread level. Nobody waits for a rank that is not there: whoever is first in an
/// execution opens it at the foreman by asking, and when nothing is left the foreman tells everybody unasked.
class ForemanTransport final : public Transport, public Correspondent {
public:
    ForemanTransport(Team& team, const std::string& name);
    ~ForemanTransport() override;

    [[nodiscard]] std::unique_ptr<RankExecution> enter(const Request& request) override;
    void refuse() override;
    /// As enter(); what it draws can be shared with other ranks.
    [[nodiscard]] std::unique_ptr<SharingExecution> open(const Request& request);
    [[nodiscard]] std::string_view name() const noexcept override { return "foreman"; }

    void on_ask(int source, const Ask& ask) override;
    void on_answer(const Answer& answer) override;
    /// Robust loops: chunks may have become late.
    void poll() override;

    // What the executions of this rank use; under post().lock().
    [[nodiscard]] Team& team() noexcept { return *team_; }
    [[nodiscard]] Post& post() noexcept { return *post_; }
    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    [[nodiscard]] Pace& pace() noexcept { return pace_; }
    [[nodiscard]] Waits& waits() noexcept { return waits_; }
    /// Whether executions on such terms run chunks again that are late.
    [[nodiscard]] bool robust(const Terms& terms) const noexcept {
        return terms.idempotent == 1 && team_->settings().robust != 0;
    }

    /// Foreman: hand out what can be handed out now. @param all  to all that wait; else to `rank` alone
    void serve(Board& board, std::uint32_t rank, bool all);
    /// Foreman: it wants to go. Send to others what only they may have.
    void deal_out(Board& board);
    /// Foreman: a rank has left without the end of a chunk that it had begun.
    void left_behind(Board& board, const Run& chunk);
    /// Foreman: a rank has left; the board goes with the last one.
    void left(Board& board);
    /// Worker: it needs no more answers of that execution.
    void forget(std::uint64_t epoch) noexcept;

private:
    [[nodiscard]] Terms terms_of(const Request& request);
    [[nodiscard]] std::unique_ptr<SharingExecution> open(const Terms& terms);
    [[nodiscard]] int schedule_of(const Terms& terms);
    [[nodiscard]] Board& board_of(std::uint64_t epoch, const Terms& terms);
    [[nodiscard]] Inbox& inbox_of(std::uint64_t epoch);
    void offer(Board& board, std::uint32_t rank);
    void tell_over(Board& board);
    void spoil(Board& board, const Terms& other);
    [[nodiscard]] bool is_closed(std::uint64_t epoch) const noexcept;
    void close_without_missing();
    void send_late_verdict(int rank, const Ask& ask);
    void answer(Board& board, std::uint32_t rank, Answer::Kind kind, const Run& run = {}, bool reply = false,
                std::uint32_t want = 1);

    Team* team_;
    std::string loop_name_;
    Post* post_;
    std::uint32_t number_;
    std::uint64_t next_epoch_ = 0;
    Terms last_terms_{};  // of last_schedule_: what it is called
    int last_schedule_ = 0;
    Pace pace_;
    Waits waits_;
    // The foreman's.
    void* site_ = nullptr;
    std::vector<std::unique_ptr<Board>> boards_;
    std::vector<std::uint64_t> closed_;  // executions that were closed while ranks were missing
    // A worker's.
    std::vector<std::unique_ptr<Inbox>> inboxes_;
};

}  // namespace gimbal::mpi
