// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an execution does so that workers about to lose their cores stand aside (docs/decisions/0016).
#include <algorithm>

#include "loop/execution.hpp"
#include "loop/standing_aside.hpp"
#include "measure/clock.hpp"
#include "measure/core_share.hpp"

namespace gimbal {

namespace {

constexpr double kMargin_us = 300;   // by which the beginning and the length of a turn are off
constexpr double kMarginChunks = 2;  // the worker may be held up by so many chunks

}  // namespace

void Execution::begin_watchfully(WorkerSlot& slot, std::uint64_t now) noexcept {
    CoreShare& core = core_share();
    core.scale(ticks_per_microsecond());
    slot.shares_core = core.enter(now, thread_usage());
    slot.away = 0;
    slot.stood_aside = slot.last_to_leave = false;
}

// Iterations that nobody has drawn yet, other workers' own parts not included.
std::uint64_t Execution::unclaimed() const noexcept {
    const Plan& plan = *plan_;
    if (plan.claim == Claim::queues) return queues_.left() * plan.grain;
    const std::uint64_t step = __atomic_load_n(counter_, __ATOMIC_RELAXED);
    if (step >= plan.steps) return 0;
    return plan.iterations - (plan.starts.empty() ? step * plan.chunk : plan.starts[step]);
}

// All leave by this counter, and the last one stays until nothing is left. Release what this worker put into its queue;
// acquire what the others put there before they left.
bool Execution::may_leave(WorkerSlot& slot) noexcept {
    slot.last_to_leave = leaving_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_;
    return !slot.last_to_leave;
}

// @return the worker has left the loop
bool Execution::stands_aside(gimbal_share& share) noexcept {
    WorkerSlot& slot = slot_of(share.worker);
    CoreShare& core = core_share();
    const std::uint64_t now = ticks();
    if (core.overdue(now)) {
        const double away = core.back(now, thread_usage());
        slot.away += away;
        slot.shares_core |= away > 0;
    }
    const bool queues = plan_->claim == Claim::queues;
    // Its own part is for nobody else, nor is the end of the loop that it holds back.
    if (slot.last_to_leave || share.chunks == 0 || (queues ? slot.held.size() > 0 : share.step < share.step_end)) {
        return false;
    }
    const auto elapsed = static_cast<double>(now - slot.record.begin);
    CoreLoss loss{.left = core.left(now), .absence = core.absence()};
    loss.margin = kMargin_us * ticks_per_microsecond() + kMarginChunks * elapsed / static_cast<double>(share.chunks);
    if (loss.left > loss.margin) return false;
    const std::uint32_t gone = leaving_.load(std::memory_order_relaxed) + 1;
    if (gone >= workers_ || share.iterations == 0) return false;
    const double iteration = std::max(elapsed - slot.away, 0.0) / static_cast<double>(share.iterations);
    loss.rest = static_cast<double>(unclaimed()) * iteration / (workers_ - gone);
    if (!should_stand_aside(loss) || !may_leave(slot)) return false;
    share.step = queues ? kNothingMore : share.step_end;
    share.counter = nullptr;
    slot.stood_aside = true;
    return true;
}

}  // namespace gimbal
