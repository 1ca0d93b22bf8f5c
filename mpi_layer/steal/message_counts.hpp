// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "team/team.hpp"

namespace gimbal::mpi {

/// How many messages each rank has been sent, in memory that all ranks share where they are on one node: reading that
/// costs a rank nothing as long as nobody sends, while asking MPI costs some 0.3 us after a piece of work, and pieces
/// last 50 us. Where the team spans nodes, there is nothing but to ask.
/// @threads add() any rank's, the rest one in each process
class MessageCounts {
public:
    /// Collective over the team. @errors gimbal::Error(mpi)
    explicit MessageCounts(Team& team) : rank_(team.rank()) {
        if (team.nodes() > 1) return;
        const std::size_t bytes = sizeof(Count) * static_cast<std::size_t>(team.size());
        counts_ = reinterpret_cast<Count*>(zeroed_node_memory(team, bytes));  // which is what counts are when new
    }

    /// A message for that rank is on its way.
    void add(int rank) noexcept {
        if (counts_) counts_[rank].sent.fetch_add(1, std::memory_order_relaxed);
    }

    /// Decide whether to ask MPI now. Between two times that it is asked, there are at most kMaxSkipped others: the
    /// program's own messages, too, need somebody who calls MPI.
    /// @param received  messages of this rank so far
    [[nodiscard]] bool ask_or_skip(std::uint64_t received) noexcept {
        const bool ask =
            !counts_ || ++skipped_ > kMaxSkipped || counts_[rank_].sent.load(std::memory_order_relaxed) != received;
        if (ask) skipped_ = 0;
        return ask;
    }

private:
    static constexpr unsigned kMaxSkipped = 30;  // 1.5 ms of pieces
    struct alignas(128) Count {
        std::atomic<std::uint64_t> sent;
    };
    static_assert(sizeof(Count) == 128, "raise kLayout in team/team.cpp, then put down the new size");
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "must work between processes");

    int rank_;
    unsigned skipped_ = 0;
    Count* counts_ = nullptr;  // [ranks] where they are on one node
};

}  // namespace gimbal::mpi
