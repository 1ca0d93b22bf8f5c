// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "loop/messages.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// The chunks that one rank of a node has drawn for all of them, in memory that they share; for one execution.
/// @threads any rank of the node
class NodeQueue {
public:
    explicit NodeQueue(std::uint64_t epoch) noexcept;

    /// The execution that it is for; acquire.
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_acquire); }

    /// A rank comes. @return false: the first one came with other parameters, and this one has no part in it
    [[nodiscard]] bool enter(const LoopParameters& parameters) noexcept;
    /// A rank draws no more, or had no part in it. @return true: it is the last, and makes it ready again
    [[nodiscard]] bool leave(std::uint32_t ranks) noexcept;
    /// @threads the last to leave @return false: chunks were left in it
    bool recycle(std::uint64_t next_epoch) noexcept;
    /// All of them have come, with the same parameters. @param ranks  of the node
    [[nodiscard]] bool complete(std::uint32_t ranks) const noexcept {
        return entered_.load(std::memory_order_relaxed) == ranks;
    }
    /// Note the node's first answer. @param now  [ticks]  @return when it came [ticks]
    std::uint64_t note_answer(std::uint64_t now) noexcept;
    /// When it came; 0: none has [ticks].
    [[nodiscard]] std::uint64_t first_answer() const noexcept { return first_answer_.load(std::memory_order_relaxed); }
    /// Ranks that draw from it now.
    [[nodiscard]] std::uint32_t inside() const noexcept;

    /// Chunks that were drawn for its ranks; noted by who refills [count].
    void note_drawn(std::uint32_t chunks) noexcept { drawn_.fetch_add(chunks, std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t drawn() const noexcept { return drawn_.load(std::memory_order_relaxed); }

    /// This rank has nothing to run, or has again.
    void begin_wait() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
    void end_wait() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
    /// Ranks that have nothing to run [count].
    [[nodiscard]] std::uint32_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }

    /// Take a chunk: two loads and a compare-and-swap. @return false: empty
    bool pop(ChunkBounds& chunk) noexcept;
    /// @param chunks  [count] 1 to kMaxAtOnce of them  @pre empty, and the caller refills
    void publish(const std::array<ChunkBounds, kMaxAtOnce>& chunks, std::uint32_t count) noexcept;

    /// What threads shall run in its chunks (gimbal_rank_within()): told before they are published, heard after one was
    /// taken; the release and acquire of the chunks hold for it, too.
    void tell(std::uint64_t within) noexcept { within_.store(within, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t told() const noexcept { return within_.load(std::memory_order_relaxed); }

    /// The right to publish; one rank at a time has it. @return false: another has it
    [[nodiscard]] bool try_refill() noexcept { return refilling_.exchange(1, std::memory_order_acquire) == 0; }
    void end_refill() noexcept { refilling_.store(0, std::memory_order_release); }
    [[nodiscard]] bool refilling() const noexcept { return refilling_.load(std::memory_order_acquire) != 0; }

    /// A rank was told that nothing is left for it: no more is drawn for others.
    void end() noexcept { over_.store(1, std::memory_order_relaxed); }
    [[nodiscard]] bool over() const noexcept { return over_.load(std::memory_order_relaxed) != 0; }
    /// It was told so for all of them.
    void end_for_all() noexcept { over_for_all_.store(1, std::memory_order_relaxed); }
    [[nodiscard]] bool over_for_all() const noexcept { return over_for_all_.load(std::memory_order_relaxed) != 0; }

    /// Note a chunk that a rank has run, for who reports next. @return false: too many wait for that
    bool note_timed(const TimedChunk& chunk) noexcept;
    /// Take such chunks, to report them. @return how many
    std::uint32_t take_timed(std::array<TimedChunk, kMaxTimed>& chunks) noexcept;

    /// Add to what the ranks have done that nobody has reported. @param time [ticks] @param iterations  in it
    void worked(std::uint64_t time, std::uint64_t iterations) noexcept;
    /// Take that, to report it. Both are rounded to single precision.
    void take_worked(std::uint64_t& time, std::uint64_t& iterations) noexcept;

private:
    /// Written by who refills before the word is; a reader whose compare-and-swap fails has read nothing.
    struct Entry {
        std::atomic<std::uint64_t> first;
        std::atomic<std::uint64_t> end;
    };

    /// A place in a ring: `turn` is the number of its next writer, or one more than that of its last.
    struct TimedPlace {
        std::atomic<std::uint64_t> turn{0};
        std::atomic<std::uint64_t> first{0};
        std::atomic<std::uint64_t> end{0};
        std::atomic<double> time_s{0};
    };

    std::atomic<std::uint64_t> epoch_;
    std::atomic<std::uint64_t> parameters_{0};  // a hash; 0: nobody has come
    std::atomic<std::uint32_t> entered_{0};
    std::atomic<std::uint32_t> left_{0};  // with those that had no part in it
    std::atomic<std::uint32_t> over_{0};
    std::atomic<std::uint32_t> over_for_all_{0};
    std::atomic<std::uint32_t> refilling_{0};
    std::atomic<std::uint32_t> waiting_{0};
    std::atomic<std::uint32_t> drawn_{0};
    std::atomic<std::uint64_t> first_answer_{0};  // [ticks]; ranks of a node have one clock
    std::atomic<std::uint64_t> within_{0};
    std::atomic<std::uint64_t> worked_{0};  // time and iterations as two floats: one word, so that they agree
    alignas(128) std::atomic<std::uint64_t> word_{0};  // version (32 bits), head (16), tail (16)
    std::array<Entry, kMaxAtOnce> entries_{};
    // Numbers go on from execution to execution.
    std::atomic<std::uint64_t> timed_head_{0};
    std::atomic<std::uint64_t> timed_tail_{0};
    std::array<TimedPlace, kMaxTimed> timed_{};
};
static_assert(sizeof(NodeQueue) == 2816, "raise kLayout in team/team.cpp, then put down the new size");

/// The queues of one loop on one node: execution e has queue e mod kCount.
class ChunkQueues {
public:
    static constexpr std::uint64_t kCount = 8;  ///< executions in flight that have a queue

    /// Collective over the team's ranks of this node.
    explicit ChunkQueues(Team& team);

    [[nodiscard]] NodeQueue& at(std::uint64_t epoch) const noexcept;
    /// [ranks()] What each has to say when it leaves: written before NodeQueue::leave(), and by its rank only; read by
    /// the last.
    [[nodiscard]] std::span<Stay> stays(std::uint64_t epoch) const noexcept;
    /// Of this node [count].
    [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
    /// A rank leaves, or had no part in it. @pre at(epoch).epoch() == epoch
    void leave(std::uint64_t epoch) const;

private:
    std::uint32_t ranks_;
    std::byte* memory_;
};

}  // namespace gimbal::mpi
