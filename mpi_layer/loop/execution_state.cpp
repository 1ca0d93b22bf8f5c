// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/execution_state.hpp"

#include <algorithm>
#include <utility>

#include "gimbal/loop.h"
#include "loop/large_chunk.hpp"

namespace gimbal::mpi {

namespace {

constexpr double kNew = 0.25;         // weight of the last report in the usual time of an iteration
constexpr std::uint64_t kParts = 32;  // of a chunk that is shared out
constexpr double kMissing_s = 1e-2;   // a rank that has not been heard of for so long is not waited for

// @pre there is one at least  @return iterations in chunks that are cut at N
std::uint64_t size_of(const ChunkRange& chunks, std::uint64_t trip) noexcept {
    const std::uint64_t last_end = chunks.end + (chunks.count - 1) * chunks.stride;
    return chunks.count * (chunks.end - chunks.first) - (last_end - std::min(last_end, trip));
}

}  // namespace

ExecutionState::ExecutionState(std::uint64_t epoch, const LoopParameters& parameters, void* execution,
                               const RankGroups& groups, bool robust)
    : epoch_(epoch),
      parameters_(parameters),
      execution_(execution),
      within_(execution != nullptr ? gimbal_rank_within(execution) : 0),
      robust_(robust),
      parts_move_(execution != nullptr && gimbal_rank_parts_move(execution) != 0),
      groups_(&groups),
      rank_states_(groups.group_of.size()),
      group_states_(groups.ranks_of.size()),
      opened_(gimbal_rank_ticks()) {
    const std::uint64_t* starts = nullptr;
    std::uint64_t chunk = 0;
    // Where chunks go by position they are sized as they are drawn.
    if (execution_ && gimbal_rank_steps(execution_, &starts, &chunk) > 0)
        limit_ = static_cast<std::uint64_t>(gimbal_rank_limit(execution_));
}

ExecutionState::~ExecutionState() {
    if (execution_) gimbal_rank_drop(execution_);
}

void ExecutionState::begin(std::uint32_t rank) {
    RankState& rank_state = rank_states_[rank];
    if (rank_state.begun) return;
    rank_state.begun = true;
    gimbal_loop_begin(execution_, rank, &rank_state.share);
}

void ExecutionState::note_first_drawn(std::uint32_t rank) noexcept {
    RankState& rank_state = rank_states_[rank];
    if (rank_state.first_drawn != 0) return;
    rank_state.first_drawn = gimbal_rank_ticks();
    Group& group = group_states_[groups_->group_of[rank]];
    if (group.first_drawn == 0) group.first_drawn = rank_state.first_drawn;
}

// A rank that asks ahead has its answer before it has finished what it was given before, and ranks of a node report for
// each other: what is reported counts for the oldest chunks that it may be about.
bool ExecutionState::report(std::uint32_t rank, double worked_s, std::uint64_t worked_iters, std::uint64_t taken) {
    RankState& rank_state = rank_states_[rank];
    if (robust_) rank_state.heard = gimbal_rank_ticks();
    if (worked_iters > 0) {
        note_speed(worked_s / gimbal_rank_tick_s(), worked_iters);
        measured(rank, worked_s / gimbal_rank_tick_s(), worked_iters);
    }
    return confirm(rank_state, taken);
}

void ExecutionState::note_speed(double ticks, std::uint64_t iterations) noexcept {
    const double now = ticks / static_cast<double>(iterations);
    ticks_per_iter_ = ticks_per_iter_ > 0 ? ticks_per_iter_ + kNew * (now - ticks_per_iter_) : now;
}

void ExecutionState::timed(std::uint32_t rank, std::span<const TimedChunk> chunks) {
    if (chunks.empty() || rank_states_[rank].left) return;
    begin(rank);
    std::deque<Drawn>& drawn = group_states_[groups_->group_of[rank]].drawn;
    double ticks = 0;
    std::uint64_t iterations = 0;
    for (const TimedChunk& chunk : chunks) {
        const double took = chunk.time_s / gimbal_rank_tick_s();
        ticks += took;
        iterations += chunk.end - chunk.first;
        const auto found = std::find_if(drawn.begin(), drawn.end(), [&](const Drawn& one) {
            return one.chunk.first <= chunk.first && chunk.end <= one.chunk.end;
        });
        if (found == drawn.end()) continue;
        const std::uint32_t owner = found->rank;
        gimbal_share& share = rank_states_[rank_states_[owner].left ? rank : owner].share;
        gimbal_rank_reported(&share, chunk.first, chunk.end, static_cast<std::uint64_t>(took));
        const ChunkBounds behind{.first = chunk.end, .end = found->chunk.end};
        found->chunk.end = chunk.first;
        if (behind.first < behind.end) {
            const auto at = drawn.insert(found + 1, {.rank = owner, .chunk = behind});
            if ((at - 1)->chunk.first == (at - 1)->chunk.end) drawn.erase(at - 1);
        } else if (found->chunk.first == found->chunk.end) {
            drawn.erase(found);
        }
    }
    if (iterations > 0) note_speed(ticks, iterations);
}

bool ExecutionState::confirm(RankState& rank_state, std::uint64_t taken) {
    if (!rank_state.unstarted || taken < rank_state.given) return false;
    rank_state.unstarted = false;
    return --unstarted_ == 0;
}

bool ExecutionState::draw(std::uint32_t rank, ChunkRange& chunk, bool for_others) {
    if (spoilt_) return false;
    begin(rank);
    note_first_drawn(rank);
    if (!come_back_.empty()) {
        take_come_back(chunk);
        out_ += chunk.end - chunk.first;
        note_drawn(rank, chunk.first, chunk.end);
        if (robust_) ledger_.add(chunk.first, chunk.end, rank);
        return true;
    }
    chunk = {.stride = 0, .count = 1};
    const bool drawn =
        out_ < parameters_.trip && (draw_new(rank, chunk, for_others) || (robust_ && draw_for_missing(chunk)));
    if (drawn) out_ += chunk.end - chunk.first;
    if (!robust_) return drawn;
    if (drawn) {
        ledger_.add(chunk.first, chunk.end, rank);
        return true;
    }
    Ledger::Entry late;
    if (!ledger_.again(rank, ticks_per_iter_, late)) return false;
    chunk.first = late.first;
    chunk.end = late.end;
    return true;
}

// @pre something has come back
void ExecutionState::take_come_back(ChunkRange& chunk) {
    ChunkRange& all = come_back_.back();
    chunk = {.first = all.first, .end = std::min(all.end, parameters_.trip), .stride = 0, .count = 1};
    all.first += all.stride;
    all.end += all.stride;
    if (--all.count == 0) come_back_.pop_back();
}

bool ExecutionState::draw_new(std::uint32_t rank, ChunkRange& chunk, bool for_others) {
    const std::uint32_t owner = owner_near(rank, for_others);
    if (for_others && owner == 0 && has_pieces(0)) return false;
    gimbal_share& share = rank_states_[owner].share;
    const bool overdue = limit_ > 0 && gimbal_rank_ticks() - opened_ > limit_;
    if (!(overdue && draw_large(share, ranks(), chunk.first, chunk.end)) &&
        !gimbal_rank_next(&share, &chunk.first, &chunk.end))
        return false;
    note_drawn(owner, chunk.first, chunk.end);
    return true;
}

// Of measured cost, of its own. The share of a rank that has left is at its end.
bool ExecutionState::has_pieces(std::uint32_t rank) {
    if (rank_states_[rank].left) return false;
    begin(rank);
    const gimbal_share& share = rank_states_[rank].share;
    return !share.fast && share.starts && share.step < share.step_end;
}

// Who in the group still has such pieces; the rank itself first. Those of the foreman, which may come to do nothing but
// answer, would be a piece too many for another rank of its node: it runs them or shares them out in small parts.
std::uint32_t ExecutionState::owner_near(std::uint32_t rank, bool for_others) {
    const std::vector<std::uint32_t>& near = groups_->ranks_of[groups_->group_of[rank]];
    if (robust_ || !parts_move_ || near.size() == 1) return rank;
    if (!(for_others && rank == 0) && has_pieces(rank)) return rank;
    const auto found = std::find_if(near.begin(), near.end(), [&](std::uint32_t other) {
        return (other != 0 || !foreman_here_) && has_pieces(other);
    });
    return found == near.end() ? rank : *found;
}

// It counts for the rank for which the chunk was drawn, so that each has its part; or else for the one that reports.
void ExecutionState::measured(std::uint32_t rank, double ticks, std::uint64_t iterations) {
    if (rank_states_[rank].left) return;
    begin(rank);
    Group& group = group_states_[groups_->group_of[rank]];
    group.ticks += ticks;
    group.iterations += iterations;
    while (!group.drawn.empty()) {
        const auto [owner, chunk] = group.drawn.front();
        const std::uint64_t size = chunk.end - chunk.first;
        if (size > group.iterations) return;
        const double took = group.ticks * static_cast<double>(size) / static_cast<double>(group.iterations);
        gimbal_share& share = rank_states_[rank_states_[owner].left ? rank : owner].share;
        gimbal_rank_reported(&share, chunk.first, chunk.end, static_cast<std::uint64_t>(took));
        group.ticks -= took;
        group.iterations -= size;
        group.drawn.pop_front();
    }
    group.ticks = 0;
    group.iterations = 0;
}

void ExecutionState::note_drawn(std::uint32_t rank, std::uint64_t first, std::uint64_t end) {
    group_states_[groups_->group_of[rank]].drawn.push_back({.rank = rank, .chunk = {.first = first, .end = end}});
}

// It has something that is late; or nothing, and has not been heard of for long: rank 0 may wait in another loop.
bool ExecutionState::is_missing(std::uint32_t rank) const {
    if (ledger_.has(rank)) return ledger_.late(rank, ticks_per_iter_);
    const double allowed = std::max(kMissing_s / gimbal_rank_tick_s(),
                                    2 * ticks_per_iter_ * static_cast<double>(parameters_.trip) / ranks());
    const std::uint64_t heard = std::max(rank_states_[rank].heard, opened_);
    return gimbal_rank_ticks() - heard > static_cast<std::uint64_t>(allowed);
}

// What only another rank may draw, which does not. Who has left has released it.
bool ExecutionState::draw_for_missing(ChunkRange& chunk) {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        if (rank_states_[rank].told_over || !is_missing(rank)) continue;
        begin(rank);
        if (gimbal_rank_next(&rank_states_[rank].share, &chunk.first, &chunk.end)) return true;
    }
    return false;
}

bool ExecutionState::draw_own(std::uint32_t rank, ChunkRange& run) {
    if (spoilt_ || robust_ || rank_states_[rank].left) return false;
    begin(rank);
    if (!take_own(rank, run)) return false;
    note_first_drawn(rank);
    return true;
}

// As gimbal_share_next() would draw them, one by one. Whether it may the last rank's share says: rank 0's thread may be
// one that draws the longer way in all its loops (gimbal_progress_set()).  @pre its share is in use
bool ExecutionState::take_own(std::uint32_t rank, ChunkRange& run) {
    gimbal_share& share = rank_states_[rank].share;
    begin(ranks() - 1);
    if (share.counter || !rank_states_.back().share.fast || share.starts || share.step >= share.step_end) return false;
    run = {.first = share.step * share.chunk, .stride = share.step_inc * share.chunk};
    run.end = run.first + share.chunk;
    run.count = (share.step_end - share.step - 1) / share.step_inc + 1;
    share.step = share.step_end;
    share.chunks += run.count;
    share.iterations += size_of(run, parameters_.trip);
    out_ += size_of(run, parameters_.trip);
    return true;
}

bool ExecutionState::draw_for_others(std::uint32_t rank, ChunkRange& chunk) {
    if (spoilt_ || robust_ || rank_states_[rank].left) return false;
    begin(rank);
    const gimbal_share& share = rank_states_[rank].share;
    if (share.fast && !share.counter) return false;
    return draw(rank, chunk, true);
}

bool ExecutionState::hears_by_group(std::uint32_t rank) const {
    const std::uint32_t number = groups_->group_of[rank];
    const Group& group = group_states_[number];
    // The foreman's own group has no other that could be told.
    if (robust_ || spoilt_ || group.pushed || number == groups_->group_of[0] || rank_states_[rank].asking) return false;
    if (group.last_asked == 0 || group.last_asked == rank) return false;
    return !rank_states_[group.last_asked].left;
}

bool ExecutionState::has_own(std::uint32_t rank) {
    begin(rank);
    const gimbal_share& share = rank_states_[rank].share;
    const bool alone = robust_ || !parts_move_ || groups_->ranks_of[groups_->group_of[rank]].size() == 1;
    return share.fast ? !share.counter : alone && share.step < share.step_end;
}

void ExecutionState::gave(std::uint32_t rank, const ChunkRange& chunk, bool ahead) noexcept {
    RankState& rank_state = rank_states_[rank];
    ++rank_state.given;
    rank_state.last = chunk;
    rank_state.asking = rank_state.asking_ahead = false;
    if (ahead) {
        rank_state.unstarted = true;
        ++unstarted_;
    }
}

void ExecutionState::come_back(const ChunkRange& chunks) {
    if (chunks.count == 0) return;
    come_back_.push_back(chunks);
    out_ -= size_of(chunks, parameters_.trip);
}

// Large chunks in parts, so that several ranks get some. It has not run what it draws here.
void ExecutionState::release_own(std::uint32_t rank) {
    if (spoilt_ || rank_states_[rank].left) return;
    begin(rank);
    gimbal_share& share = rank_states_[rank].share;
    const gimbal_share before = share;
    ChunkRange own;
    if (take_own(rank, own) && own.count > 1) {
        come_back(own);
    } else if (own.count == 1) {
        own.end = std::min(own.end, parameters_.trip);
        share_out(rank, own);
    }
    own = {.stride = 0, .count = 1};
    while (share.step < share.step_end && gimbal_rank_next(&share, &own.first, &own.end)) {
        out_ += own.end - own.first;
        share_out(rank, own);
    }
    share.chunks = before.chunks;
    share.iterations = before.iterations;
}

void ExecutionState::share_out(std::uint32_t rank, const ChunkRange& chunk) {
    for (Drawn& drawn : group_states_[groups_->group_of[rank]].drawn)
        if (drawn.chunk.end == chunk.end) drawn.chunk.end = std::max(drawn.chunk.first, chunk.first);
    const std::uint64_t part = std::max<std::uint64_t>((chunk.end - chunk.first) / kParts, 1);
    for (std::uint64_t first = chunk.first; first < chunk.end; first += part)
        come_back({.first = first, .end = std::min(first + part, chunk.end), .stride = 0, .count = 1});
}

void ExecutionState::share_out_own(std::uint32_t rank) {
    ChunkRange chunk{.stride = 0, .count = 1};
    while (!robust_ && !spoilt_ && has_pieces(rank) && draw_new(rank, chunk, false)) {
        out_ += chunk.end - chunk.first;
        share_out(rank, chunk);
    }
}

bool ExecutionState::leave(std::uint32_t rank, std::uint64_t taken, const Stay& stay, bool by_node) {
    if (rank_states_[rank].left) return false;
    const bool news = draws_no_more(rank, taken);
    leave_as(rank, stay, by_node);
    return news;
}

void ExecutionState::foreman_leaves(const gimbal_rank_work& ran) {
    if (rank_states_[0].left) return;
    draws_no_more(0, 0);
    gimbal_rank_leave(&rank_states_[0].share, &ran, nullptr);
}

bool ExecutionState::draws_no_more(std::uint32_t rank, std::uint64_t taken) {
    RankState& rank_state = rank_states_[rank];
    release_own(rank);
    rank_state.left = true;
    tell_over(rank);
    make_sure(rank);
    rank_state.asking = false;
    ++left_;
    ledger_.abandon(rank);
    bool news = confirm(rank_state, taken);
    if (rank_state.unstarted) {
        rank_state.unstarted = false;
        --unstarted_;
        come_back(rank_state.last);
        news = true;
    }
    begin(rank);
    return news;
}

// The word of it comes late, and most of what ranks of a node ran was drawn for others: when it took part is what the
// node's clock says, beginning with what both have seen.
void ExecutionState::leave_as(std::uint32_t rank, const Stay& stay, bool by_node) {
    RankState& rank_state = rank_states_[rank];
    const std::uint64_t group = group_states_[groups_->group_of[rank]].first_drawn;
    std::uint64_t begun = by_node || rank_state.first_drawn == 0 ? group : rank_state.first_drawn;
    if (begun == 0) begun = gimbal_rank_ticks();
    const double from = std::max(stay.from_s, 0.0) / gimbal_rank_tick_s();
    const double to = std::max(stay.to_s / gimbal_rank_tick_s(), from);
    gimbal_rank_left(&rank_state.share, begun + static_cast<std::uint64_t>(from),
                     static_cast<std::uint64_t>(to - from));
}

void ExecutionState::measured_by_threads(std::uint32_t rank, std::span<const gimbal_rank_cost> costs) {
    gimbal_rank_costs_arrived(execution_, rank, costs.data(), costs.size());
}

void ExecutionState::spoil(const LoopParameters& other) noexcept {
    if (spoilt_) return;
    spoilt_ = true;
    other_ = other;
}

void ExecutionState::close() {
    const bool learn = complete();
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) leave(rank, rank_states_[rank].given, Stay{}, false);
    void* const execution = std::exchange(execution_, nullptr);
    if (spoilt_) {
        gimbal_rank_drop(execution);
    } else {
        gimbal_rank_close(execution, learn ? 1 : 0);
    }
}

}  // namespace gimbal::mpi
