// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gimbal/rank_loop.h"
#include "loop/ledger.hpp"
#include "loop/messages.hpp"

namespace gimbal::mpi {

/// One execution of a loop as its foreman keeps it: what has been handed out to whom. Knows no messages.
/// @threads one
class ExecutionState {
public:
    /// What the foreman knows about one rank.
    struct RankState {
        gimbal_share share{};
        bool begun = false;             ///< its share is in use
        bool came = false;              ///< it has been heard of
        bool left = false;              ///< it draws no more
        bool told_over = false;         ///< it knows that nothing is left for it
        bool asking = false;            ///< a question of it has no answer yet
        bool asking_ahead = false;      ///< and it has work until it gets one
        bool unstarted = false;         ///< it asked for `last` ahead of time and is not known to have begun it
        std::uint64_t given = 0;        ///< answers to its questions [count]
        ChunkRange last{};              ///< the last one of them
        std::uint64_t drawn_iters = 0;  ///< iterations of the chunk that was drawn last for it
        std::uint32_t verdict = 0;      ///< on a chunk that it finished, still to be told (ChunkReply::verdict)
        double s_per_iter = 0;          ///< as it reported last; 0: unknown
        std::uint32_t want = 1;         ///< chunks that it asked for at once
    };

    /// @param execution  of gimbal_rank_decide(); its own from now on
    /// @param robust     chunks that are late are handed out again, and all is over when all are finished
    ExecutionState(std::uint64_t epoch, const LoopParameters& parameters, void* execution, std::uint32_t ranks,
                   bool robust);
    /// An execution that was not complete is forgotten.
    ~ExecutionState();
    ExecutionState(const ExecutionState&) = delete;
    ExecutionState& operator=(const ExecutionState&) = delete;

    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
    /// For gimbal_rank_describe().
    [[nodiscard]] void* execution() const noexcept { return execution_; }
    [[nodiscard]] const LoopParameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(rank_states_.size()); }
    [[nodiscard]] RankState& rank_state(std::uint32_t rank) noexcept { return rank_states_[rank]; }

    /// Take in what a rank measured since its last message, and whether it has begun what it was given.
    /// @return true if chunks that nobody could have had before can be had now, or everything is out
    bool report(std::uint32_t rank, double worked_s, std::uint64_t worked_iters, std::uint64_t taken);

    /// Draw a chunk for a rank; if it is robust, also what others should have run by now. @return false: nothing is
    /// left for it
    bool draw(std::uint32_t rank, ChunkRange& chunk);
    /// All that belongs to a rank alone and that it has not drawn yet, as one run. @return false: nothing
    bool draw_own(std::uint32_t rank, ChunkRange& run);
    /// Draw for a rank what another rank may run as well. @return false: nothing is left for it, or it is its own
    bool draw_for_others(std::uint32_t rank, ChunkRange& chunk);
    /// Note that a question of a rank has been answered with this chunk.
    void gave(std::uint32_t rank, const ChunkRange& chunk, bool ahead) noexcept;

    /// Robust: the next piece of the chunk that a rank has begins at `first`. @return false: it is not its own any more
    bool cut(std::uint32_t rank, std::uint64_t first, std::uint64_t piece_end) {
        return !robust_ || ledger_.cut(first, piece_end, rank);
    }
    /// Robust: a rank has finished a chunk. @return whether it was the first
    bool finish(const ChunkRange& chunk) { return !robust_ || ledger_.finish(chunk.first, chunk.end); }
    /// Robust: a rank will not finish what it has.
    void abandon(std::uint32_t rank) noexcept { ledger_.abandon(rank); }
    [[nodiscard]] bool robust() const noexcept { return robust_; }

    /// Every iteration is with a rank; if it is robust: is finished.
    [[nodiscard]] bool all_out() const noexcept {
        return robust_ ? ledger_.finished() == parameters_.trip : out_ == parameters_.trip;
    }

    /// A chunk, or the end of one, that will not be worked on by who got it.
    void come_back(const ChunkRange& chunk);
    /// A rank draws no more. @param stayed_s  since its first answer came; < 0: it leaves now [s]  @return as report()
    bool leave(std::uint32_t rank, std::uint64_t taken, double stayed_s);
    /// All ranks have left.
    [[nodiscard]] bool complete() const noexcept { return left_ == rank_states_.size(); }

    /// The ranks disagree: nothing more is handed out, nothing is learnt.
    void spoil(const LoopParameters& other) noexcept;
    [[nodiscard]] bool spoilt() const noexcept { return spoilt_; }
    /// What another rank said than the first one.
    [[nodiscard]] const LoopParameters& other_parameters() const noexcept { return other_; }

    /// Learn from it; nothing if it is not complete: then some ranks are missing, and without them it is over.
    void close();

private:
    void begin(std::uint32_t rank);
    bool draw_new(std::uint32_t rank, ChunkRange& chunk);
    bool draw_for_missing(ChunkRange& chunk);
    [[nodiscard]] bool is_missing(std::uint32_t rank) const;
    bool confirm(RankState& rank_state, std::uint64_t taken);

    std::uint64_t epoch_;
    LoopParameters parameters_;
    LoopParameters other_{};
    void* execution_;
    bool robust_;
    bool spoilt_ = false;
    std::uint64_t out_ = 0;        // handed out and not come back [iterations]
    std::uint32_t unstarted_ = 0;  // ranks
    std::size_t left_ = 0;
    std::vector<RankState> rank_states_;
    std::vector<ChunkRange> come_back_;  // chunks that a rank left behind
    Ledger ledger_;
    std::uint64_t opened_ = 0;   // [ticks]
    double ticks_per_iter_ = 0;  // as ranks report it; 0: unknown
};

}  // namespace gimbal::mpi
