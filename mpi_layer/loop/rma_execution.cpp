// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The core draws from a counter in memory; here that is an operation on the window. So its own counter is one of this
// rank alone, set to where the one in the window is; a claim there decides who gets what.
#include "loop/rma_execution.hpp"

#include <algorithm>

#include "gimbal/loop.h"
#include "gimbal/rank_loop.h"

namespace gimbal::mpi {

namespace {

bool goes_by_steps(const void* object) {
    const std::uint64_t* starts = nullptr;
    std::uint64_t chunk = 0;
    return gimbal_rank_steps(object, &starts, &chunk) > 0;
}

}  // namespace

RmaExecution::RmaExecution(RmaTransport& transport, std::uint64_t epoch, void* object)
    : transport_(transport),
      epoch_(epoch),
      object_(object),
      begin_(gimbal_rank_ticks()),
      trip_(gimbal_rank_trip(object)),
      by_steps_(goes_by_steps(object)) {
    gimbal_loop_begin(object, static_cast<std::uint32_t>(transport.rank()), &share);
    if (trip_ == 0) share.counter = nullptr;
    if (!share.counter) return;
    counter_ = share.counter;
    if (by_steps_) {
        before_ = *counter_;
        share.counter = nullptr;
    }
    share.fast = 0;
}

bool RmaExecution::next(std::uint64_t& first, std::uint64_t& end) {
    const bool got = by_steps_ ? next_step(first, end) : next_position(first, end);
    if (counter_) share.fast = 0;
    return got || next_left(first, end);
}

bool RmaExecution::run(std::uint64_t step, std::uint64_t& first, std::uint64_t& end) {
    share.step = step;
    share.step_end = step + 1;
    share.step_inc = 1;
    return gimbal_loop_next(&share, &first, &end) != 0;
}

// First what belongs to this rank; then one step a claim, so that a rank that leaves takes none with it.
bool RmaExecution::next_step(std::uint64_t& first, std::uint64_t& end) {
    if (gimbal_loop_next(&share, &first, &end)) return true;
    if (!counter_) return false;
    const std::uint64_t step = before_ + transport_.claim(epoch_, 1);
    if (step < share.steps) return run(step, first, end);
    counter_ = nullptr;
    return false;
}

// A size follows from where the counter is; when it is claimed there, others may have moved it on. Then this rank has
// as many iterations further on.
bool RmaExecution::next_position(std::uint64_t& first, std::uint64_t& end) {
    if (!counter_) return false;
    const std::uint64_t position = std::min(transport_.position(epoch_), trip_);
    *counter_ = position;
    if (!gimbal_loop_next(&share, &first, &end)) {
        counter_ = nullptr;
        return false;
    }
    const std::uint64_t size = end - first;
    first = std::min(transport_.claim(epoch_, size), trip_);
    if (first == position) return true;
    end = first + std::min(size, trip_ - first);
    share.iterations -= size - (end - first);
    // The core believes in a chunk of that size: it is not asked again, and so does not take its time.
    if (end - first < size) counter_ = nullptr;
    if (first < end) return true;
    share.chunks -= 1;
    return false;
}

// Nobody has anything for all. What is left is of ranks that have gone; or there is nothing because they do not agree.
bool RmaExecution::next_left(std::uint64_t& first, std::uint64_t& end) {
    const RmaTransport::Outcome outcome = transport_.outcome(epoch_);
    if (outcome.other != 0) {
        told_ = true;
        throw_rma_disagreement(trip_, outcome.other);
    }
    std::uint64_t step = 0;
    return outcome.abandoned > 0 && transport_.take_abandoned(epoch_, step) && run(step, first, end);
}

void RmaExecution::leave(Leaving) {
    const std::uint64_t other = transport_.left(epoch_, object_, share, gimbal_rank_ticks() - begin_);
    if (other != 0 && !told_) throw_rma_disagreement(trip_, other);
}

}  // namespace gimbal::mpi
