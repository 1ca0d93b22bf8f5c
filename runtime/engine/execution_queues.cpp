// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions whose workers draw from queues: those that are nothing but queues, and own blocks that can be stolen from.
#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "engine/admission.hpp"
#include "engine/execution.hpp"

namespace gimbal {

namespace {

// @return 0: the chunk is empty
int hand_out(gimbal_share& share, const Range& chunk, std::uint64_t& first, std::uint64_t& end) noexcept {
    if (chunk.size() == 0) return 0;
    first = chunk.first;
    end = chunk.end;
    share.chunks += 1;
    share.iterations += chunk.size();
    return 1;
}

}  // namespace

// The prefix, then the queues, and at last the end of the loop: the worker that gets the chunk with the last iteration
// holds it back until nothing else is left for him. A program may take the value that a variable has after the last
// iteration (lastprivate) from the thread that ran it, and takes it when that thread has left the loop.
int Execution::next_queued(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    WorkerSlot& slot = slot_of(share.worker);
    if (share.step == kNothingMore) return 0;
    Range chunk;
    do {
        chunk = next_grains(share, slot);
        if (chunk.size() == 0) break;
        if (chunk.end == plan_->iterations) {
            queues_.held(share.worker) = chunk;
            if (plan_->order.empty()) queues_.held(share.worker).first = std::max(chunk.first, last_draw());
            chunk.end = queues_.held(share.worker).first;
        }
    } while (chunk.size() == 0);
    if (chunk.size() == 0 && queues_.held(share.worker).size() > 0) {
        // What a thief had in hand until now may still come to a queue: it is his, not for who ran the end.
        chunk = std::exchange(queues_.held(share.worker), {});
        share.step = kNothingMore;
    }
    return hand_out(share, chunk, first, end);
}

// The own block, what is shared, and then what others have left of theirs; the end of the loop at last, as above.
int Execution::next_insured(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    WorkerSlot& slot = slot_of(share.worker);
    if (share.step == kNothingMore) return 0;
    Range chunk = next_insured(share, slot);
    if (chunk.end == plan_->iterations && chunk.size() > 0) {
        queues_.held(share.worker) = chunk;
        chunk = next_insured(share, slot);
    }
    if (chunk.size() == 0) {
        share.step = kNothingMore;
        chunk = std::exchange(queues_.held(share.worker), {});
    }
    return hand_out(share, chunk, first, end);
}

Range Execution::next_insured(gimbal_share& share, WorkerSlot& slot) noexcept {
    Range grains = queues_.draw_own(share.worker);
    if (grains.size() > 0) return iterations_of(grains);
    if (share.counter) {
        queues_.ask();
        if (config_.split && slot.record.static_end == 0) note_static_end(share);
        const std::uint64_t step = __atomic_fetch_add(hot_.counter, 1, __ATOMIC_RELAXED);
        if (step < plan_->steps) return {plan_->starts[step], plan_->starts[step + 1]};
        share.counter = nullptr;
    }
    grains = queues_.draw(share.worker);
    if (grains.size() == 0 && queues_.somebody_claims()) grains = await_grains(share.worker, slot.record.begin);
    if (grains.size() > 0 && slot.record.stole_at == 0) slot.record.stole_at = ticks();
    return iterations_of(grains);
}

// Somebody is at a part of a block of which more may be given back. Waiting is bounded: a loop's body may wait for what
// this thread does next, and a thread that does not run cannot give anything back.
Range Execution::await_grains(std::uint32_t worker, std::uint64_t begin) noexcept {
    constexpr unsigned kPauses = 4;
    constexpr unsigned kPatience = 16;  // looks until the core is offered to others
    const std::uint64_t now = ticks();
    const std::uint64_t until = now + (now - begin) / 2;
    for (unsigned look = 1; queues_.somebody_claims(); ++look) {
        for (unsigned i = 0; i < kPauses; ++i) relax();
        const Range grains = queues_.draw(worker);
        if (grains.size() > 0) return grains;
        if (look % kPatience != 0) continue;
        if (ticks() > until) return {};
        sched_yield();
    }
    return queues_.draw(worker);
}

// The last grain may be a part of one; a product that wraps round is beyond the end in any case.
Range Execution::iterations_of(Range grains) const noexcept {
    const bool last = grains.end > 0 && (plan_->iterations - 1) / plan_->grain < grains.end;
    return {grains.first * plan_->grain, last ? plan_->iterations : grains.end * plan_->grain};
}

// Where one draw from the end of the loop begins: a whole number of grains from its start.
std::uint64_t Execution::last_draw() const noexcept {
    const std::uint64_t grains = (plan_->iterations - 1) / plan_->grain + 1;
    return grains > plan_->rules.take ? (grains - plan_->rules.take) * plan_->grain : 0;
}

// The worker's prefix, then what its queue or another's has. @return iterations; empty: nothing left
Range Execution::next_grains(gimbal_share& share, WorkerSlot& slot) noexcept {
    const Plan& plan = *plan_;
    Range grains;
    if (share.step == kPrefixToCome) {
        share.step = kQueues;
        grains = plan.prefixes[share.worker];
    }
    if (grains.size() == 0) {
        if (config_.split && slot.record.static_end == 0) note_static_end(share);
        grains = queues_.draw(share.worker);
        if (grains.size() == 0) return {};
    }
    if (!plan.order.empty()) {
        const std::uint64_t step = plan.order[grains.first];
        return {plan.starts[step], plan.starts[step + 1]};
    }
    return iterations_of(grains);
}

}  // namespace gimbal
