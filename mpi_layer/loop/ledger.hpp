// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace gimbal::mpi {

/// Robust self-scheduling by messages: which chunks of an execution are handed out and unfinished. When nothing is left
/// to hand out, a rank without work runs the one again that is late and that fewest have run again, the oldest first.
/// The first to finish a chunk counts.
/// @threads one
/// @source rDLB: Mohammed, Cavelan, Ciorba 2019 (re-execution of unfinished chunks by idle workers)
class Ledger {
public:
    struct Entry {
        std::uint64_t first = 0;   ///< [iterations]
        std::uint64_t end = 0;     ///< [iterations]
        std::uint32_t rank = 0;    ///< who has it; with copies: who got it last
        std::uint32_t copies = 0;  ///< how often it was handed out again
        std::uint64_t when = 0;    ///< it was handed out last [ticks]
    };

    /// A chunk is handed out.
    void add(std::uint64_t first, std::uint64_t end, std::uint32_t rank);

    /// A piece of a chunk that `rank` has: the rest becomes an entry of its own. @return false: somebody else has it
    /// now
    bool cut(std::uint64_t first, std::uint64_t piece_end, std::uint32_t rank);

    /// A chunk is finished. @return whether it is the first time
    bool finish(std::uint64_t first, std::uint64_t end);

    /// Hand out a late chunk again. @param ticks_per_iter  usual time of an iteration; 0: unknown
    /// @return false: none is late, or `rank` has it itself
    bool again(std::uint32_t rank, double ticks_per_iter, Entry& entry);

    /// Whether a rank has anything.
    [[nodiscard]] bool has(std::uint32_t rank) const noexcept;
    /// Whether what a rank has is late; false if it has nothing.
    [[nodiscard]] bool late(std::uint32_t rank, double ticks_per_iter) const;

    /// A rank will not finish what it has.
    void abandon(std::uint32_t rank) noexcept;

    /// [iterations]
    [[nodiscard]] std::uint64_t finished() const noexcept { return finished_; }

private:
    std::vector<Entry> entries_;  // unfinished, in the order in which they were handed out first
    std::uint64_t finished_ = 0;
};

}  // namespace gimbal::mpi
