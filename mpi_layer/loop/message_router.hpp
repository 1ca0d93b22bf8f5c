// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "gimbal/rank_loop.h"
#include "loop/absence_messages.hpp"
#include "loop/messages.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

class ForemanTransport;

static_assert(sizeof(gimbal_rank_cost) == 12, "raise kLayout in team/team.cpp, then put down the new size");

/// The messages of all loops of a team that have a foreman. One look tells about all of them, however many loops there
/// are. No message waits for a partner: sending is done when it is done, and what comes is taken when somebody looks.
class MessageRouter : public Member {
public:
    /// The router of a team. Collective when it is first asked for.
    static MessageRouter& of(Team& team);

    explicit MessageRouter(Team& team);
    ~MessageRouter() override;

    /// Collective: all ranks must enrol the same loops in the same order. @return the loop's number
    std::uint32_t enrol(ForemanTransport& transport);
    /// Give a loop what came before it was enrolled; to be called once, when it knows its number.
    void deliver_early(std::uint32_t loop);
    /// No more messages for that loop.
    void withdraw(std::uint32_t loop) noexcept;

    /// To the foreman, rank 0. @param costs  [<= GIMBAL_RANK_MAX_COSTS] that go with it  @errors gimbal::Error(mpi)
    void send(const ChunkRequest& request, std::span<const gimbal_rank_cost> costs = {});
    /// To a worker. @errors gimbal::Error(mpi), unless the team is robust: then the rank counts as lost
    void send(const ChunkReply& answer, int rank);

    /// Every message that was sent arrives.
    bool settle(double patience_s) override;

    /// Take in what has come. Never waits. @errors gimbal::Error(mpi)
    void poll() override;
    /// To the foreman, now or in a later poll().
    void say_absent(bool absent) noexcept override;
    /// Foreman: that rank waits elsewhere and asks nothing; under lock().
    [[nodiscard]] bool is_absent(std::uint32_t rank) const noexcept { return absent_[rank]; }
    /// How often somebody has looked [count].
    [[nodiscard]] std::uint64_t looks() const noexcept { return looks_.load(std::memory_order_relaxed); }
    /// Foreman: what a message takes of its time, from when it is there until it is answered; 0: unknown [ticks].
    [[nodiscard]] double service() const noexcept { return service_; }

    /// Held by each user of a loop, so that threads that draw at the same time, and those from whose loops poll() is
    /// called, do not meet.
    [[nodiscard]] std::mutex& lock() noexcept { return lock_; }

    /// What went wrong where it could not be thrown. @errors that
    static void rethrow();

private:
    // A message on its way: the bytes must stay until MPI has taken them.
    struct Envelope {
        union {
            ChunkRequest request;
            ChunkReply answer;
        };
        std::vector<std::byte> with_costs;  // the request's bytes if costs follow them
        Envelope() : request{} {}
    };
    struct Incoming {
        ChunkRequest request;
        std::array<gimbal_rank_cost, GIMBAL_RANK_MAX_COSTS> room;  // for what follows request.bytes()
    };
    void take_request(int source);
    [[nodiscard]] std::size_t free_envelope();
    void find_free_envelopes();
    void take_requests();
    void take_replies();
    void tell_foreman() noexcept;
    [[nodiscard]] std::uint64_t sent_to_foreman();
    [[nodiscard]] bool take_until(std::uint64_t sent, double patience_s);
    static void from_inside_a_loop(void*) noexcept;

    Team* team_;
    int tag_request_;
    int tag_answer_;
    std::mutex lock_;
    std::atomic<std::uint64_t> looks_{0};                       // read without the lock, too
    double service_ = 0;                                        // [ticks]
    Incoming incoming_{};                                       // if this is the foreman
    std::vector<std::uint64_t> sent_;                           // [P] messages to each rank
    std::vector<bool> absent_;                                  // [P] as they said last
    std::uint64_t taken_ = 0;                                   // messages of others
    bool settling_ = false;                                     // this rank has said how many it has sent
    bool waits_elsewhere_ = false;                              // which the foreman has heard or will hear
    AbsenceMessages absence_messages_;                          // of this rank
    std::vector<ForemanTransport*> loops_;                      // by number; nullptr: gone
    std::vector<std::pair<int, ChunkRequest>> early_requests_;  // for loops that this rank has not made yet
    std::vector<ChunkReply> early_answers_;
    std::vector<std::unique_ptr<Envelope>> envelopes_;
    std::vector<MPI_Request> sending_;  // [envelopes]
    std::vector<int> free_;             // envelopes that are known to be gone
};

}  // namespace gimbal::mpi
