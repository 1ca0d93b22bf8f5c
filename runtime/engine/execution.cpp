// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/execution.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "engine/admission.hpp"
#include "measure/placement.hpp"
#include "measure/recent_times.hpp"

namespace gimbal {

namespace {

constexpr double kMaxUntimed = 1e9;  // [iterations] that go untimed, however short they are

// Ask for a cache line that will be written. __builtin_prefetch(p, 1) asks x86 for a copy to read only, unless the
// compiler may assume a recent processor; older ones ignore this instruction.
inline void fetch_to_write(const void* line) noexcept {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
}

}  // namespace

void Execution::prefetch() const noexcept {
    __builtin_prefetch(&hot_);
    __builtin_prefetch(&hot_.slots);
    __builtin_prefetch(&repeated_for_);
    fetch_to_write(&own_counter_);
}

void Execution::begin(std::uint32_t worker, gimbal_share& share) noexcept {
    const HotFields& hot = hot_;
    share.step = hot.owned ? worker : 0;
    share.step_end = hot.owned ? hot.steps : 0;
    share.step_inc = hot.owned ? hot.workers : 1;
    share.chunks = 0;
    share.iterations = 0;
    share.claim = hot.claim;
    share.counter = hot.counter;
    share.starts = hot.starts;
    share.steps = hot.steps;
    share.chunk = hot.chunk;
    share.trip = hot.trip;
    share.execution = this;
    share.worker = worker;
    share.fast = hot.fast;
    share.watched = 0;
    share.traced = 0;
    WorkerSlot& slot = slot_of(worker);
    if (hot.own) {
        share.step = hot.own[worker];
        share.step_end = hot.own[worker + 1];
        if (hot.together && share.step_end - share.step > 1) share.fast = 0;
    }
    if (!hot.fast) begin_slowly(worker, share, slot);
    slot.record.static_end = slot.record.stole_at = 0;
    slot.record.begin = ticks();
}

// What executions need whose chunks are not drawn by the short way.
void Execution::begin_slowly(std::uint32_t worker, gimbal_share& share, WorkerSlot& slot) {
    slot.last_size = 0;
    switch (hot_.draw) {
        case Draw::own_steps:
            slot.random = worker + 1;
            break;
        case Draw::insured:
            slot.random = worker + 1;
            share.step = kQueues;
            queues_.enter(worker, -1);
            break;
        case Draw::queued:
            share.step = kPrefixToCome;
            queues_.enter(worker, plan_->rules.victims == Victims::nearest ? sched_getcpu() : -1);
            break;
        case Draw::weighted:
        case Draw::adaptive:
            slot.position_hint = 0;
            break;
        case Draw::steps:
            break;
    }
    if (config_.sampled) {
        slot.begin_costs(plan_->iterations, hot_.workers);
        slot.costs->instructions = thread_instructions();
    }
    if (config_.timed) slot.begin_times();
    if (adaptive_) {
        times_[worker].reset(adaptive_->reads());
        AdaptiveSlot& adaptive = adaptive_slots_[worker & hot_.slot_mask];
        adaptive = {};
        if (adaptive_->reads() == Figures::progress && !hot_.noted && plan_->statistics.mean > 0)
            adaptive.least_timed =
                static_cast<std::uint64_t>(std::min(least_time_ / plan_->statistics.mean, kMaxUntimed));
    }
    if (hot_.elastic) begin_elastic(worker);
}

int Execution::next(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    int got = 0;
    switch (hot_.draw) {
        case Draw::adaptive:
            return next_adaptive(share, first, end);
        case Draw::own_steps:
            got = next_hybrid(share, first, end);
            break;
        case Draw::insured:
            got = next_insured(share, first, end);
            break;
        case Draw::queued:
            got = is_surplus(share.worker) ? next_surplus(share, first, end) : next_queued(share, first, end);
            break;
        case Draw::weighted:
            got = next_weighted(share, first, end);
            break;
        case Draw::steps:
            got = gimbal_share_next(&share, &first, &end);
            break;
    }
    if (hot_.noted && (config_.timed || config_.sampled))
        note_chunk(slot_of(share.worker), first, got ? end - first : 0);
    return got;
}

// Own steps are handed out without an atomic, all of them in one chunk if nobody notes their times. Once they are done
// nothing more needs to be noted: without throttled admission the fast path may be used from here on.
int Execution::next_hybrid(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    if (hot_.together && share.step < share.step_end) {
        first = hot_.starts[share.step];
        end = hot_.starts[share.step_end];
        share.step = share.step_end;
        share.chunks += 1;
        share.iterations += end - first;
        share.fast = hot_.admits;
        return 1;
    }
    if (share.step >= share.step_end) {
        WorkerSlot& slot = slot_of(share.worker);
        if (config_.split && slot.record.static_end == 0) note_static_end(share);
        if (!hot_.admits) {
            await_admission(slot.random, plan_->admission);
        } else if (!config_.timed && !config_.sampled) {
            share.fast = 1;
        }
    }
    return gimbal_share_next(&share, &first, &end);
}

// Draw by position: the counter is the next iteration. A size was chosen from where the counter was just before;
// between the two another worker may have moved it on. The fetch_add alone decides who gets what, so every iteration is
// still handed out once.
int Execution::take(gimbal_share& share, std::uint64_t size, std::uint64_t& first, std::uint64_t& end) noexcept {
    const std::uint64_t iterations = plan_->iterations;
    first = __atomic_fetch_add(hot_.counter, size, __ATOMIC_RELAXED);
    if (first >= iterations) return 0;
    end = iterations - first < size ? iterations : first + size;
    share.chunks += 1;
    share.iterations += end - first;
    return 1;
}

int Execution::next_weighted(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    const Plan& plan = *plan_;
    std::uint64_t& batch = slot_of(share.worker).position_hint;
    const std::uint64_t position = __atomic_load_n(hot_.counter, __ATOMIC_RELAXED);
    while (batch < plan.steps && plan.starts[batch + 1] <= position) ++batch;
    if (batch == plan.steps) return 0;
    return take(share, plan.shares[batch * hot_.workers + share.worker], first, end);
}

// A chunk's time ends when the next one is asked for: one timestamp does for both. Chunks that last no longer than a
// few timestamps are timed together, since one alone would show the clock and not the work; not so when the execution
// is measured chunk by chunk.
// @return when the chunk that is asked for begins, as far as that is known [ticks]
std::uint64_t Execution::time_chunk(WorkerSlot& slot, AdaptiveSlot& adaptive, WorkerTimes& times) noexcept {
    adaptive.untimed_size += slot.last_size;
    ++adaptive.untimed_chunks;
    if (adaptive.untimed_size < adaptive.least_timed) return slot.last_stamp;
    const std::uint64_t now = ticks();
    const auto time = static_cast<double>(now - slot.last_stamp);
    const auto size = static_cast<double>(adaptive.untimed_size);
    // Techniques that count execution alone get it less the calibrated cost of drawing.
    times.note(adaptive.untimed_size, time - static_cast<double>(adaptive.untimed_chunks) * overhead_);
    if (config_.timed) slot.times->add(adaptive.untimed_size, time);
    if (config_.sampled) slot.costs->add({slot.last_first, slot.last_first + slot.last_size}, time);
    if (!config_.timed && !config_.sampled) {
        adaptive.least_timed =
            static_cast<std::uint64_t>(std::min(size * least_time_ / std::max(time, 1.0), kMaxUntimed));
    }
    adaptive.untimed_size = adaptive.untimed_chunks = 0;
    if (adaptive_->reads() != Figures::progress) adaptive.digest.known = false;
    return now;
}

int Execution::next_adaptive(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    const Plan& plan = *plan_;
    WorkerSlot& slot = slot_of(share.worker);
    AdaptiveSlot& adaptive = adaptive_slots_[share.worker & hot_.slot_mask];
    WorkerTimes& times = times_[share.worker];
    fetch_to_write(hot_.counter);  // it travels while the last chunk's time is noted
    // A first chunk begins with the worker's own time: that timestamp is there already.
    const std::uint64_t now = slot.last_size      ? time_chunk(slot, adaptive, times)
                              : share.chunks == 0 ? slot.record.begin
                                                  : ticks();
    slot.last_stamp = now;
    slot.last_size = 0;
    const std::uint64_t position = __atomic_load_n(hot_.counter, __ATOMIC_RELAXED);
    if (position >= plan.iterations) return 0;
    ChunkRequest request{.times = {times_, hot_.workers},
                         .worker = share.worker,
                         .iterations = plan.iterations,
                         .remaining = plan.iterations - position,
                         .chunk = plan.chunk,
                         .now = now,
                         .statistics = plan.statistics,
                         .digest = &adaptive.digest};
    if (plan.steps > 0) {
        while (plan.starts[slot.position_hint + 1] <= position) ++slot.position_hint;
        request.batch_chunk = plan.shares[slot.position_hint];
    }
    std::uint64_t size = std::max(adaptive_->size(request), plan.chunk);
    if (plan.unit > 1) size += (plan.unit - size % plan.unit) % plan.unit;
    if (!take(share, std::min(size, request.remaining), first, end)) return 0;
    slot.last_size = end - first;
    slot.last_first = first;
    // What others read comes last: the line travels while the chunk runs.
    if (adaptive_->reads() == Figures::progress) {
        if (slot.last_size >= adaptive.least_timed) times.draw(slot.last_size, now);
    } else if (adaptive.untimed_size == 0 && times.chunks() > 0) {
        times.publish();
    }
    return 1;
}

// One timestamp per chunk: a chunk's time runs from its own dispatch to the next one.
void Execution::note_chunk(WorkerSlot& slot, std::uint64_t first, std::uint64_t size) noexcept {
    const std::uint64_t now = ticks();
    if (slot.last_size) {
        const auto time = static_cast<double>(now - slot.last_stamp);
        if (config_.timed) slot.times->add(slot.last_size, time);
        if (config_.sampled) slot.costs->add({slot.last_first, slot.last_first + slot.last_size}, time);
    }
    slot.last_stamp = now;
    slot.last_first = first;
    slot.last_size = size;
}

int Execution::next_for(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept {
    const int got = next(share, first, end);
    slot_of(share.worker).last_size = 0;
    return got;
}

void Execution::reported(const gimbal_share& share, Range chunk, std::uint64_t time) noexcept {
    WorkerSlot& slot = slot_of(share.worker);
    if (!adaptive_) {
        if (config_.timed) slot.times->add(chunk.size(), static_cast<double>(time));
        if (config_.sampled) slot.costs->add(chunk, static_cast<double>(time));
        return;
    }
    slot.last_first = chunk.first;
    slot.last_size = chunk.size();
    slot.last_stamp = ticks() - time;
    static_cast<void>(time_chunk(slot, adaptive_slots_[share.worker & hot_.slot_mask], times_[share.worker]));
    times_[share.worker].publish();
    slot.last_size = 0;
}

void Execution::arrived(std::uint32_t worker, const WorkerRecord& record) {
    WorkerSlot& slot = slots_[worker];
    slot.record = record;
    slot.sums.busy += record.end - record.begin;
    slot.sums.chunks += record.chunks;
    slot.sums.iterations += record.iterations;
}

void Execution::note_static_end(const gimbal_share& share) noexcept {
    WorkerRecord& record = slot_of(share.worker).record;
    record.static_end = ticks();
    record.static_iterations = share.iterations;
}

void Execution::leave(gimbal_share& share) noexcept {
    const std::uint64_t stamp = ticks();
    if (config_.sampled) [[unlikely]]
        note_thread(*slot_of(share.worker).costs);
    leave_at(share, stamp);
}

// Of the thread that leaves, while its execution is measured: what says how fast it works.
void Execution::note_thread(ChunkCosts& costs) noexcept {
    const std::uint64_t now = thread_instructions();
    costs.instructions = costs.instructions > 0 && now > costs.instructions ? now - costs.instructions : 0;
    costs.processor = sched_getcpu();
}

namespace {

// 0: the worker has left, or has never come. It may be about to do either.
GIMBAL_RACES std::uint64_t inside_since(const WorkerRecord& record) noexcept {
    const std::uint64_t begin = *static_cast<const volatile std::uint64_t*>(&record.begin);
    return begin > *static_cast<const volatile std::uint64_t*>(&record.end) ? begin : 0;
}

}  // namespace

std::uint64_t Execution::occupied_since() const noexcept {
    std::uint64_t first = 0;
    const std::size_t own = std::min<std::size_t>(hot_.workers, slots_.size());
    for (std::size_t i = 0; i < own; ++i)
        if (const std::uint64_t since = inside_since(slots_[i].record); since != 0 && (first == 0 || since < first))
            first = since;
    return first;
}

bool Execution::end_after(gimbal_share& share, std::uint64_t begun, std::uint64_t stayed) noexcept {
    slot_of(share.worker).record.begin = begun;
    leave_at(share, begun + stayed);
    return is_last();
}

void Execution::leave_at(gimbal_share& share, std::uint64_t stamp) noexcept {
    WorkerSlot& slot = slot_of(share.worker);
    if (hot_.draw == Draw::insured) queues_.leave(share.worker);
    slot.record.end = stamp;
    if (hot_.elastic) end_elastic(share, slot);
    slot.record.chunks = share.chunks;
    slot.record.iterations = share.iterations;
    const std::uint64_t time = slot.record.end - slot.record.begin;
    slot.sums.busy += time;
    slot.sums.chunks += share.chunks;
    slot.sums.iterations += share.iterations;
    share.execution = nullptr;
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (hot_.repeats <= round) return;
    hot_.records[std::size_t{share.worker} * hot_.rounds + round].record = slot.record;
    if (time - hot_.least_time > hot_.time_range) [[unlikely]]
        reasons_.fetch_or(kUnlike, std::memory_order_relaxed);
}

}  // namespace gimbal
