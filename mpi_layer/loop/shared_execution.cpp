// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/shared_execution.hpp"

#include <algorithm>
#include <string>

#include "gimbal/error.hpp"
#include "gimbal/loop.h"
#include "gimbal/rank_loop.h"
#include "loop/large_chunk.hpp"

namespace gimbal::mpi {

void throw_shared_disagreement(std::uint64_t mine, std::uint64_t other) {
    std::string what = "the ranks of a loop do not agree: " + std::to_string(mine) + " iterations here, ";
    what += other == SlotHeader::kWrongArguments ? "invalid arguments" : std::to_string(other - 1);
    throw Error(ErrorCode::wrong_use, what + " on another rank", kMustAgree);
}

SharedExecution::SharedExecution(SharedTransport& transport, std::uint64_t slot, void* execution, bool reruns)
    : transport_(transport), slot_(slot), execution_(execution) {
    gimbal_loop_begin(execution, static_cast<std::uint32_t>(transport.rank()), &share);
    const std::uint64_t* starts = nullptr;
    std::uint64_t chunk = 0;
    // Where chunks go by position they are sized as they are drawn.
    if (gimbal_rank_steps(execution, &starts, &chunk) > 0)
        limit_ = static_cast<std::uint64_t>(gimbal_rank_limit(execution));
    if (limit_ > 0) {
        begun_ = gimbal_rank_ticks();
        share.fast = 0;
    }
    if (!reruns) return;
    // Every draw must be noted, and what others have not finished comes after what nobody has drawn.
    rerun_.emplace(transport.slots().flags(slot), execution);
    share.fast = 0;
}

std::uint64_t SharedExecution::other() const noexcept {
    // A rank that says something else ends the counter afterwards: a draw in vain that was caused by it sees it.
    std::atomic_thread_fence(std::memory_order_acquire);
    return transport_.slots().header(slot_).other.load(std::memory_order_acquire);
}

void SharedExecution::require_agreement() {
    const std::uint64_t said = other();
    if (said == 0) return;
    told_ = true;
    throw_shared_disagreement(share.trip, said);
}

bool SharedExecution::next(std::uint64_t& first, std::uint64_t& end) {
    if (rerun_) return next_robust(first, end);
    if (limit_ > 0 && overdue() && draw_large(share, static_cast<std::uint64_t>(transport_.ranks()), first, end))
        return true;
    const bool got = gimbal_loop_next(&share, &first, &end) != 0;
    if (limit_ > 0) share.fast = 0;
    if (got) return true;
    require_agreement();
    return next_left(first, end);
}

bool SharedExecution::overdue() const noexcept {
    return gimbal_rank_ticks() - begun_ > limit_;
}

bool SharedExecution::next_robust(std::uint64_t& first, std::uint64_t& end) {
    rerun_->finish_last();
    const bool fresh = gimbal_loop_next(&share, &first, &end) != 0;
    share.fast = 0;
    if (fresh) {
        rerun_->began(first);
        return true;
    }
    require_agreement();
    if (rerun_->next(first, end)) return true;
    require_agreement();
    return false;
}

// What ranks left behind that went before the end.
bool SharedExecution::next_left(std::uint64_t& first, std::uint64_t& end) {
    std::uint64_t step = 0;
    for (int rank = 0; rank < transport_.ranks(); ++rank) {
        if (!transport_.slots().left_steps(slot_, rank).take(step)) continue;
        const bool last = step + 1 == share.steps;
        first = share.starts ? share.starts[step] : step * share.chunk;
        end = share.starts ? share.starts[step + 1] : last ? share.trip : first + share.chunk;
        ++share.chunks;
        share.iterations += end - first;
        return true;
    }
    return false;
}

void SharedExecution::leave(LeaveMode) {
    // Where chunks may run twice, one that this rank has not finished runs on another.
    if (!rerun_) transport_.slots().left_steps(slot_, transport_.rank()).put(share);
    const std::uint64_t said = other();
    const std::uint64_t trip = share.trip;
    transport_.left(slot_, execution_, share);
    if (said != 0 && !told_) throw_shared_disagreement(trip, said);
}

}  // namespace gimbal::mpi
