// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "steal/empty_nodes.hpp"
#include "steal/queue_word.hpp"
#include "steal/share.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// Why a rank has no part in an execution.
enum class Refusal : std::uint8_t {
    none,
    wrong_arguments,  ///< its arguments cannot be
    ended             ///< it has ended MPI, or freed the communicator, without having come to it
};

/// A rank that has no part in an execution, if there is one.
struct Refuser {
    int rank = -1;
    Refusal why = Refusal::none;

    /// As one number, larger than that of no rank.
    [[nodiscard]] int code() const noexcept { return rank * 2 + (why == Refusal::ended ? 1 : 0); }
    [[nodiscard]] static Refuser of(int code) noexcept {
        if (code < 0) return {};
        return {code / 2, code % 2 ? Refusal::ended : Refusal::wrong_arguments};
    }
};

/// The queues of the ranks of one node, in memory that they share: one word for each rank and execution.
///
/// A rank leaves execution e when all queues of e are empty, so after all ranks have entered e. Hence no rank is ever
/// more than one execution ahead of another, and two words for each rank, used in turn, are enough: the rank that fills
/// the word of e + 2 knows that all ranks are past e, whose word it was. Each word has the number of its execution
/// beside it, so that one that is not there yet is not taken for an empty one.
/// @threads one in each process
class NodeQueues {
public:
    /// Collective over the node. @errors gimbal::Error(mpi)
    NodeQueues(Team& team, double look_s);

    /// This rank enters an execution with so many grains.
    void enter(std::uint64_t epoch, std::uint32_t grains) noexcept;

    /// Before it enters: this rank has no part in it, and no rank's run() may succeed.
    void refuse(std::uint64_t epoch, Refusal why) noexcept;
    /// A rank of this node that refused this execution, if any did. @pre all_empty()
    [[nodiscard]] Refuser refuser() const noexcept;

    /// Own grains, from the front. @return empty: nothing is left
    [[nodiscard]] Grains take(std::uint32_t most) noexcept { return own().work.take_front(most); }
    /// Own grains for a thief of another node, from the back. @param ratio  as StealView has it
    [[nodiscard]] Grains give(double ratio) noexcept;
    [[nodiscard]] bool own_empty() const noexcept { return own().work.left() == 0; }

    /// Tell thieves what one of this rank's grains takes [s].
    void set_cost(double seconds) noexcept { own().cost_s.store(seconds, std::memory_order_relaxed); }

    /// Somebody of this node whose queue is worth stealing from; the one with the most work. @return rank, or -1
    [[nodiscard]] int fullest() const noexcept;
    /// Claim a part of the fullest queue of this node. @param victim  out: rank
    /// @return empty: there is nothing worth it at the moment  @cost a look at all queues and one compare-and-swap
    [[nodiscard]] Grains claim(double ratio, int& victim) noexcept;

    /// Whether all ranks of the node have entered this execution and no grain is left in any queue.
    [[nodiscard]] bool all_empty() const noexcept;

    /// What this node knows of all nodes; of use where there are several.
    [[nodiscard]] EmptyNodes& empty_nodes() noexcept { return empty_nodes_; }

private:
    struct alignas(128) Queue {
        QueueWord work;
        std::atomic<std::uint64_t> entered{0};    // number of the execution + 1
        std::atomic<double> cost_s{0};            // time per grain [s]; 0: not known
        std::atomic<std::uint64_t> strangers{0};  // as entered: the last one in which another node asked for work
        std::atomic<std::uint64_t> refused{0};    // as entered: the last one that its rank refused
        std::atomic<Refusal> why{Refusal::none};  // it did
    };
    static_assert(std::atomic<double>::is_always_lock_free, "must work between processes");
    static_assert(sizeof(Queue) == 128 && offsetof(Queue, why) == 40, "raise kLayout in team/team.cpp");

    struct Survey {
        double grains = 0;
        double seconds = 0;
        bool costs_known = true;
        bool strangers = false;
        int fullest = -1;  // node rank
    };
    [[nodiscard]] Queue& queue(int node_rank) const noexcept {
        return queues_[static_cast<std::size_t>(node_rank) * 2 + epoch_ % 2];
    }
    [[nodiscard]] Queue& own() const noexcept { return queue(node_rank_); }
    [[nodiscard]] bool entered(const Queue& queue) const noexcept {
        return queue.entered.load(std::memory_order_acquire) == epoch_ + 1;  // partner: enter()
    }
    [[nodiscard]] Survey survey() const noexcept;
    [[nodiscard]] StealView view(const Survey& seen, const Queue& victim, double ratio, int ranks) const noexcept;

    int node_rank_;
    int node_size_;
    int size_;
    double look_s_;
    std::vector<int> ranks_;  // [node_size_] of the team
    Queue* queues_;           // [node_size_][2]
    EmptyNodes empty_nodes_;
    std::uint64_t epoch_ = 0;
};

}  // namespace gimbal::mpi
