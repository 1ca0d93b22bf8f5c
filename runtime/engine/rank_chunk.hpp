// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "engine/decision.hpp"
#include "gimbal/per_rank.hpp"
#include "gimbal/plan.hpp"
#include "gimbal/rank_loop.h"
#include "measure/cost_profile.hpp"

namespace gimbal {

class LoopSite;
struct WorkerSlot;

/// Which part of a loop over ranks an execution of a loop of threads runs.
struct RankPart {
    std::uint64_t first = 0;   ///< the first of them [iterations]
    std::uint64_t whole = 0;   ///< N of the loop over ranks [iterations]; 0: this is no part of one
    LoopSite* site = nullptr;  ///< of the loop over ranks, in the root; nullptr elsewhere. Stays until the process ends
    Within within = {};        ///< what the loop over ranks says; its limit is not known here
    bool follows = false;      ///< and threads run it where it says anything (Request::follows_ranks())

    [[nodiscard]] explicit operator bool() const noexcept { return whole > 0; }
};

/// A cache line of its own.
struct alignas(64) OwnRankChunk : gimbal_rank_chunk {};

/// The chunk that this process is in.
extern PerRank<OwnRankChunk> rank_chunk;

/// Whether this process is in a chunk of a loop over ranks. @threads any  @cost one load
[[nodiscard]] inline bool in_rank_chunk() noexcept {
    return __atomic_load_n(&rank_chunk.here().end, __ATOMIC_RELAXED) != 0;
}

/// gimbal_rank_chunk::of, and back.
[[nodiscard]] std::uint64_t packed(const Within& within) noexcept;
[[nodiscard]] Within unpacked(std::uint64_t of) noexcept;

/// Whether a loop of threads runs the chunks of a loop over ranks: each time that it has run in one it had as many
/// iterations as the chunk, and it ran once in each. Positions in it are positions in the loop over ranks then.
/// @threads the owner locks
/// @source ours; test: tests/unit/engine/rank_chunk_test.cpp
class RankTie {
public:
    /// An execution begins while this process is in a chunk.
    /// @param trip  its N [iterations]  @return what it runs; nothing: it has nothing to do with the chunk
    [[nodiscard]] RankPart part_of(const gimbal_rank_chunk& chunk, std::uint64_t trip) noexcept;

private:
    std::uint64_t number_ = 0;  // of the chunk it ran last
    bool broken_ = false;
};

/// Iterations that a chunk of a loop over ranks should have at least where a team of so many threads shares it out and
/// nobody named any, several for each; 0: any number will do. @source docs/decisions/0032
[[nodiscard]] constexpr std::uint64_t least_for_team(std::uint32_t threads) noexcept {
    return threads > 1 ? std::uint64_t{4} * threads : 0;
}

/// What a loop over ranks goes by where teams of threads run its chunks. Nothing: no teams do.
struct ChunkTeams {
    std::uint64_t least = 0;    ///< iterations that a chunk should have at least where nobody named any
    double chunk_overhead = 0;  ///< what a chunk costs its worker besides a draw, mean so far [ticks]
    std::uint32_t threads = 0;  ///< of a team [count]
    bool follow = false;        ///< they run what Decision::within says
    double balance = 0;         ///< of the teams since the last execution, mean over max; 0: not known
};

/// What teams of threads that run chunks of a loop over ranks have shown on this rank.
/// @threads any: figures by themselves, for estimates
class TeamsInChunks {
public:
    /// A team has run a chunk. @param loop_time, busy_mean  of its loop [ticks]
    /// @param follows  it runs what the loop over ranks says, if that says anything
    void add(std::uint32_t threads, double loop_time, double busy_mean, bool follows) noexcept;

    /// The rank has left an execution of the loop over ranks. Where all its chunks were run by teams, what the chunks
    /// took besides is theirs. @param busy  of the rank in it [ticks]  @param chunks  that it ran [count]
    /// @threads one at a time
    void add_rank(double busy, std::uint64_t chunks) noexcept;

    /// Largest team [count]; 0: chunks are not run by teams, as far as is known.
    [[nodiscard]] std::uint32_t threads() const noexcept { return threads_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t least() const noexcept { return least_for_team(threads()); }
    /// Whether they run what the loop over ranks says (Decision::within), and whether ranks hear of that.
    [[nodiscard]] bool follow() const noexcept { return follow_.load(std::memory_order_relaxed) && told(); }
    void tell() noexcept { told_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool told() const noexcept { return told_.load(std::memory_order_relaxed); }
    /// Chunks that were run [count].
    [[nodiscard]] std::uint64_t chunks() const noexcept { return chunks_.load(std::memory_order_relaxed); }
    /// Loop times of their teams, in all [ticks].
    [[nodiscard]] double loop_time() const noexcept { return loop_time_.load(std::memory_order_relaxed); }
    /// Mean over the threads of the time that they were busy, in all [ticks].
    [[nodiscard]] double busy_mean() const noexcept { return busy_mean_.load(std::memory_order_relaxed); }
    /// Mean over max of the threads' times since this was asked last, in (0, 1]; 0: no team has run.
    /// @threads one at a time
    [[nodiscard]] double balance() noexcept;
    /// All of that, for the execution that is opened; nothing without a team of several. @threads as balance()
    [[nodiscard]] ChunkTeams ask() noexcept;
    /// What a chunk takes besides its team's loop, to begin and end the team, and to draw where each rank draws for
    /// itself; mean so far [ticks].
    [[nodiscard]] double overhead() const noexcept { return overhead_; }

private:
    std::atomic<std::uint32_t> threads_{0};
    std::atomic<bool> follow_{false};
    std::atomic<bool> told_{false};
    std::atomic<std::uint64_t> chunks_{0};
    std::atomic<double> loop_time_{0};
    std::atomic<double> busy_mean_{0};
    double overhead_ = 0;
    double asked_loop_time_ = 0, asked_busy_mean_ = 0;  // when balance() was asked last
    double seen_loop_time_ = 0;                         // when the rank last left
    std::uint64_t seen_chunks_ = 0;
};

/// What the threads of this rank measure of the iterations of one execution of a loop over ranks: finer than the times
/// of its chunks, and of single threads. One loop over ranks at a time.
/// @threads any
class CostsInChunks {
public:
    /// An execution begins that is to be measured. @errors std::bad_alloc
    void prepare(std::uint64_t iterations, std::uint32_t ranks);
    /// A team has run a chunk. @param slots  [threads] with costs  @param iterations  of the chunk
    void add(const RankPart& part, std::uint64_t iterations, std::span<const WorkerSlot> slots) noexcept;
    /// The rank leaves. @param to  prepared for the same loop, empty
    /// @param iterations  that this rank ran: unless all were measured, nothing is taken
    void take(ChunkCosts& to, std::uint64_t iterations) noexcept;

private:
    std::mutex mutex_;
    ChunkCosts costs_;
    std::uint64_t whole_ = 0;    // N; 0: nothing is measured
    std::uint64_t covered_ = 0;  // [iterations]
};

/// The one of this process. @threads any
[[nodiscard]] CostsInChunks& costs_in_chunks() noexcept;

}  // namespace gimbal
