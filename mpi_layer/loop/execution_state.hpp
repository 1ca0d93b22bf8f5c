// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "gimbal/rank_loop.h"
#include "loop/ledger.hpp"
#include "loop/messages.hpp"

namespace gimbal::mpi {

/// Ranks that run each other's chunks: those of a node that share a queue, or each rank for itself.
struct RankGroups {
    std::vector<std::uint32_t> group_of;               ///< [P]
    std::vector<std::vector<std::uint32_t>> ranks_of;  ///< [groups] ranks, ascending
};

/// One execution of a loop as its foreman keeps it: what has been handed out to whom. Knows no messages.
/// @threads one
class ExecutionState {
public:
    /// What the foreman knows about one rank.
    struct RankState {
        gimbal_share share{};
        bool begun = false;             ///< its share is in use
        bool left = false;              ///< it draws no more
        bool told_over = false;         ///< it knows that nothing is left for it; set by tell_over()
        bool unsure = false;            ///< another rank of its node was told so for it, and it has not left
        bool asking = false;            ///< a question of it has no answer yet
        bool asking_ahead = false;      ///< and it has work until it gets one
        bool unstarted = false;         ///< it asked for `last` ahead of time and is not known to have begun it
        std::uint64_t heard = 0;        ///< robust: when it reported last; 0: it has not [ticks]
        std::uint64_t given = 0;        ///< answers to its questions [count]
        std::uint64_t first_drawn = 0;  ///< when something was drawn for it first; 0: nothing was [ticks]
        ChunkRange last{};              ///< the last one of them
        std::uint32_t verdict = 0;      ///< on a chunk that it finished, still to be told (ChunkReply::verdict)
        std::uint32_t want = 1;         ///< chunks that it asked for at once
        std::vector<ChunkRange> pushed{};  ///< what it was sent that it did not ask for
    };

    /// @param execution  of gimbal_rank_decide(); its own from now on
    /// @param robust     chunks that are late are handed out again, and all is over when all are finished
    /// @param groups     whose ranks share what is drawn for one of them; must live as long
    ExecutionState(std::uint64_t epoch, const LoopParameters& parameters, void* execution, const RankGroups& groups,
                   bool robust);
    /// An execution that was not complete is forgotten.
    ~ExecutionState();
    ExecutionState(const ExecutionState&) = delete;
    ExecutionState& operator=(const ExecutionState&) = delete;

    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
    /// For gimbal_rank_describe().
    [[nodiscard]] void* execution() const noexcept { return execution_; }
    /// What the threads shall run that share out its chunks (gimbal_rank_within()).
    [[nodiscard]] std::uint64_t within() const noexcept { return within_; }
    [[nodiscard]] const LoopParameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(rank_states_.size()); }
    [[nodiscard]] RankState& rank_state(std::uint32_t rank) noexcept { return rank_states_[rank]; }

    /// A rank is told that nothing is left for it. @return false: it knows
    bool tell_over(std::uint32_t rank) noexcept {
        if (rank_states_[rank].told_over) return false;
        rank_states_[rank].told_over = true;
        ++told_over_;
        return true;
    }
    /// Whether another rank of its group can be told for it: it asks nothing, and nothing is on its way to it unasked.
    [[nodiscard]] bool hears_by_group(std::uint32_t rank) const;
    /// That has been done.
    void told_by_group(std::uint32_t rank) noexcept {
        rank_states_[rank].unsure = true;
        ++unsure_;
    }
    /// It has left, or was told itself. @return false: it was sure before
    bool make_sure(std::uint32_t rank) noexcept {
        if (!rank_states_[rank].unsure) return false;
        rank_states_[rank].unsure = false;
        --unsure_;
        return true;
    }
    /// Ranks that were told by another, and of which nothing has been heard since [count].
    [[nodiscard]] std::uint32_t unsure() const noexcept { return unsure_; }
    /// A rank has been sent work that it did not ask for.
    void note_pushed(std::uint32_t rank, const ChunkRange& chunks) {
        rank_states_[rank].pushed.push_back(chunks);
        group_states_[groups_->group_of[rank]].pushed = true;
    }
    /// One of its group has.
    [[nodiscard]] bool pushed(std::uint32_t rank) const noexcept {
        return group_states_[groups_->group_of[rank]].pushed;
    }
    /// A rank has asked.
    void note_asked(std::uint32_t rank) noexcept { group_states_[groups_->group_of[rank]].last_asked = rank; }

    /// Ranks that do not know that nothing is left for them [count].
    [[nodiscard]] std::uint32_t untold() const noexcept { return ranks() - told_over_; }

    /// Take in what a rank measured since its last message, and whether it has begun what it was given.
    /// @return true if chunks that nobody could have had before can be had now, or everything is out
    bool report(std::uint32_t rank, double worked_s, std::uint64_t worked_iters, std::uint64_t taken);

    /// Take in what ranks of its group have measured, chunk by chunk: then it is known which cost what.
    void timed(std::uint32_t rank, std::span<const TimedChunk> chunks);

    /// Draw a chunk for a rank; if it is robust, also what others should have run by now. @return false: nothing is
    /// left for it
    /// @param for_others  it may be any rank that runs it
    bool draw(std::uint32_t rank, ChunkRange& chunk, bool for_others = false);
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
    /// When it was opened [ticks].
    [[nodiscard]] std::uint64_t opened() const noexcept { return opened_; }
    /// A rank has parts of the plan left that nobody else can draw.
    [[nodiscard]] bool has_own(std::uint32_t rank);
    /// As come_back(), in parts: ranks may be close to the end of their work.
    void share_out(std::uint32_t rank, const ChunkRange& chunk);
    /// The foreman takes part: it runs or shares out what the plan has for it.
    void foreman_came() noexcept { foreman_here_ = true; }
    /// As share_out() with all that the plan has for a rank in pieces of measured cost.
    void share_out_own(std::uint32_t rank);

    /// Every iteration is with a rank; if it is robust: is finished.
    [[nodiscard]] bool all_out() const noexcept {
        return robust_ ? ledger_.finished() == parameters_.trip : out_ == parameters_.trip;
    }

    /// Not with a rank [iterations].
    [[nodiscard]] std::uint64_t not_out() const noexcept { return parameters_.trip - out_; }

    /// Chunks, or the end of one, that will not be worked on by who got them.
    void come_back(const ChunkRange& chunks);
    /// Others can have what the plan has for a rank alone: it draws no more.
    void release_own(std::uint32_t rank);
    /// A rank draws no more.
    /// @param by_node  times are counted from the first answer to any rank of its group
    /// @return as report()
    bool leave(std::uint32_t rank, std::uint64_t taken, const Stay& stay, bool by_node);
    /// Nor does the foreman, from now on. @param ran  what the program had on this rank
    void foreman_leaves(const gimbal_rank_work& ran);
    /// What the threads of a rank measured that has left.
    void measured_by_threads(std::uint32_t rank, std::span<const gimbal_rank_cost> costs);
    /// All ranks have left.
    [[nodiscard]] bool complete() const noexcept { return left_ == rank_states_.size(); }

    /// The ranks disagree: nothing more is handed out, nothing is learnt.
    void spoil(const LoopParameters& other) noexcept;
    [[nodiscard]] bool spoilt() const noexcept { return spoilt_; }
    /// What another rank said than the first one.
    [[nodiscard]] const LoopParameters& other_parameters() const noexcept { return other_; }

    /// What Attendance::waiting() was when it was opened [count].
    std::uint64_t asked_before = 0;

    /// Learn from it; nothing if it is not complete: then some ranks are missing, and without them it is over.
    void close();

private:
    void begin(std::uint32_t rank);
    void note_first_drawn(std::uint32_t rank) noexcept;
    bool draws_no_more(std::uint32_t rank, std::uint64_t taken);
    void take_come_back(ChunkRange& chunk);
    bool take_own(std::uint32_t rank, ChunkRange& run);
    void leave_as(std::uint32_t rank, const Stay& stay, bool by_node);
    bool draw_new(std::uint32_t rank, ChunkRange& chunk, bool for_others);
    [[nodiscard]] bool has_pieces(std::uint32_t rank);
    [[nodiscard]] std::uint32_t owner_near(std::uint32_t rank, bool for_others);
    void measured(std::uint32_t rank, double ticks, std::uint64_t iterations);
    void note_speed(double ticks, std::uint64_t iterations) noexcept;
    void note_drawn(std::uint32_t rank, std::uint64_t first, std::uint64_t end);
    bool draw_for_missing(ChunkRange& chunk);
    [[nodiscard]] bool is_missing(std::uint32_t rank) const;
    bool confirm(RankState& rank_state, std::uint64_t taken);

    std::uint64_t epoch_;
    LoopParameters parameters_;
    LoopParameters other_{};
    void* execution_;
    std::uint64_t within_;
    std::uint64_t limit_ = 0;  // so long after it was opened chunks are large; 0: never [ticks]
    bool robust_;
    bool parts_move_;  // another rank of the node may run what the plan has for one
    bool spoilt_ = false;
    bool foreman_here_ = false;
    std::uint64_t out_ = 0;        // handed out and not come back [iterations]
    std::uint32_t unstarted_ = 0;  // ranks
    std::uint32_t told_over_ = 0;  // ranks
    std::uint32_t unsure_ = 0;     // ranks
    std::size_t left_ = 0;
    const RankGroups* groups_;
    std::vector<RankState> rank_states_;
    struct Drawn {
        std::uint32_t rank;  ///< for which it was drawn
        ChunkBounds chunk;
    };
    /// What a group has drawn, and what of it has been reported.
    struct Group {
        std::deque<Drawn> drawn;        ///< chunks whose time has not been reported, the oldest first
        std::uint64_t iterations = 0;   ///< reported that belong to them
        double ticks = 0;               ///< in these
        std::uint64_t first_drawn = 0;  ///< when something was drawn for any of its ranks first; 0: nothing was [ticks]
        std::uint32_t last_asked = 0;   ///< the rank that did; 0: none
        bool pushed = false;            ///< one of its ranks was sent work unasked
    };
    std::vector<Group> group_states_;    // [groups]
    std::vector<ChunkRange> come_back_;  // chunks that a rank left behind; none is empty
    Ledger ledger_;
    std::uint64_t opened_ = 0;   // [ticks]
    double ticks_per_iter_ = 0;  // as ranks report it; 0: unknown
};

}  // namespace gimbal::mpi
