// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions that workers join for as long as another rank lends them a core.
#include <algorithm>

#include "base/clock.hpp"
#include "base/own_state.hpp"
#include "engine/execution.hpp"
#include "lending/elastic_regions.hpp"
#include "trace/recorder.hpp"

namespace gimbal {

// A surplus worker draws as all others do, but sleeps while it has no core. What it leaves in its queue when its core
// is wanted back others steal; what is there when the loop has run out it runs itself, and so does every worker that
// wakes then: nothing that a thief had in hand is lost.
int Execution::next_surplus(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    SurplusSlot& slot = surplus_slots_[share.worker - hot_.workers];
    if (slot.core && node_cores().wanted(slot.core)) leave_core(slot, true);
    if (!slot.core) await_core(slot);
    if (next_queued(share, first, end)) return 1;
    leave_core(slot, false);
    return 0;
}

// Until there is a core, or the loop has run out. In a region that was cancelled the team's own workers may never come.
void Execution::await_core(SurplusSlot& slot) noexcept {
    constexpr int kLongSleeps = 10;
    const OwnState own;
    NodeCores& cores = node_cores();
    cores.roam();
    for (int slept = 0; slept < kLongSleeps;) {
        const std::uint32_t stage = stage_.load(std::memory_order_acquire);
        if (stage == kRunOut) return;
        slot.core = cores.borrow();
        slot.since = ticks();
        if (slot.core) return gimbal::trace(TraceKind::join_begin, slot.core.lender);
        if (!cores.sleep(stage_, kRunOut)) ++slept;
        if (stage == kRunning) slept = 0;
    }
}

// @param wanted  by its owner, who has it then; else others may have it
void Execution::leave_core(SurplusSlot& slot, bool wanted) noexcept {
    if (!slot.core) return;
    slot.worked += ticks() - slot.since;
    gimbal::trace(TraceKind::join_end);
    if (!wanted) node_cores().give_back(slot.core);
    slot.core = {};
}

// The first of the team's own to find nothing left lets the others run through. A surplus worker's record says how long
// it ran, not how long it was there.
void Execution::end_elastic(const gimbal_share& share, WorkerSlot& slot) noexcept {
    if (is_surplus(share.worker)) {
        SurplusSlot& surplus = surplus_slots_[share.worker - hot_.workers];
        leave_core(surplus, false);  // of a loop that was cancelled
        surplus.left = slot.record.end;
        slot.record.end = slot.record.begin + surplus.worked;
        if (part_of_) part_of_->add_surplus(static_cast<double>(surplus.worked));
        return;
    }
    if (stage_.exchange(kRunOut) != kRunOut) node_cores().ring();
}

double Execution::aftermath() const noexcept {
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < hot_.workers; ++i) last = std::max(last, slots_[i].record.end);
    std::uint64_t left = last;
    for (std::uint32_t i = 0; i < config_.surplus; ++i) left = std::max(left, surplus_slots_[i].left);
    return static_cast<double>(left - last);
}

void Execution::begin_elastic(std::uint32_t worker) noexcept {
    if (is_surplus(worker)) {
        surplus_slots_[worker - hot_.workers] = {};
    } else if (stage_.load(std::memory_order_relaxed) == kExpected) {
        std::uint32_t before = kExpected;
        stage_.compare_exchange_strong(before, kRunning, std::memory_order_relaxed);
    }
}

}  // namespace gimbal
