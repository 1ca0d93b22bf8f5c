// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

#include "gimbal/plan.hpp"
#include "gimbal/rank_loop.h"

namespace gimbal {

class LoopSite;

/// Which part of a loop over ranks an execution of a loop of threads runs.
struct RankPart {
    std::uint64_t first = 0;   ///< the first of them [iterations]
    std::uint64_t whole = 0;   ///< N of the loop over ranks [iterations]; 0: this is no part of one
    LoopSite* site = nullptr;  ///< of the loop over ranks, in the root; nullptr elsewhere. Stays until the process ends

    [[nodiscard]] explicit operator bool() const noexcept { return whole > 0; }
};

/// The chunk that this process is in.
extern gimbal_rank_chunk rank_chunk;

/// Whether this process is in a chunk of a loop over ranks. @threads any  @cost one load
[[nodiscard]] inline bool in_rank_chunk() noexcept {
    return __atomic_load_n(&rank_chunk.end, __ATOMIC_RELAXED) != 0;
}

/// Whether a loop of threads runs the chunks of a loop over ranks: each time that it has run in one it had as many
/// iterations as the chunk, and it ran once in each. Positions in it are positions in the loop over ranks then.
/// @threads the owner locks
/// @source ours; test: tests/unit/loop/rank_chunk_test.cpp
class RankTie {
public:
    /// An execution begins while this process is in a chunk.
    /// @param trip  its N [iterations]  @return what it runs; nothing: it has nothing to do with the chunk
    [[nodiscard]] RankPart part_of(const gimbal_rank_chunk& chunk, std::uint64_t trip) noexcept;

private:
    std::uint64_t number_ = 0;  // of the chunk it ran last
    bool broken_ = false;
};

/// What teams of threads that run chunks of a loop over ranks have shown on this rank.
/// @threads any: figures by themselves, for estimates
class TeamsInChunks {
public:
    /// A team has run a chunk. @param loop_time, busy_mean  of its loop [ticks]
    void add(std::uint32_t threads, double loop_time, double busy_mean) noexcept;

    /// The rank has left an execution of the loop over ranks. Where all its chunks were run by teams, what the chunks
    /// took besides is theirs. @param busy  of the rank in it [ticks]  @param chunks  that it ran [count]
    /// @threads one at a time
    void add_rank(double busy, std::uint64_t chunks) noexcept;

    /// Largest team [count]; 0: chunks are not run by teams, as far as is known.
    [[nodiscard]] std::uint32_t threads() const noexcept { return threads_.load(std::memory_order_relaxed); }
    /// Chunks that were run [count].
    [[nodiscard]] std::uint64_t chunks() const noexcept { return chunks_.load(std::memory_order_relaxed); }
    /// Loop times of their teams, in all [ticks].
    [[nodiscard]] double loop_time() const noexcept { return loop_time_.load(std::memory_order_relaxed); }
    /// Mean over the threads of the time that they were busy, in all [ticks].
    [[nodiscard]] double busy_mean() const noexcept { return busy_mean_.load(std::memory_order_relaxed); }
    /// What a chunk takes besides its team's loop, to begin and end the team and to draw, mean so far [ticks].
    [[nodiscard]] double overhead() const noexcept { return overhead_; }

private:
    std::atomic<std::uint32_t> threads_{0};
    std::atomic<std::uint64_t> chunks_{0};
    std::atomic<double> loop_time_{0};
    std::atomic<double> busy_mean_{0};
    double overhead_ = 0;
    double seen_loop_time_ = 0;  // when the rank last left
    std::uint64_t seen_chunks_ = 0;
};

}  // namespace gimbal
