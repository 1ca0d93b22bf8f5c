// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <gimbal/loop.h> with a trace: other functions, so that nothing of this is asked where there is none.
#include "gimbal/traced_calls.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "gimbal/schedule.hpp"
#include "loop/site.hpp"
#include "loop/watch.hpp"
#include "trace/recorder.hpp"

namespace gimbal {

namespace {

std::string place_text(const SiteIdentity& identity) {
    if (!identity.name.empty()) return identity.name;
    return identity.module + kPlaceSeparator + std::to_string(identity.offset) + kPlaceSeparator +
           std::to_string(identity.build);
}

/// Which text names a loop and how it runs. It is looked up where that has changed.
void label(Execution& execution) {
    std::unique_ptr<ExecutionTrace>& trace = execution.trace();
    const ExecutionConfig& config = execution.config();
    const bool exploring = execution.decision().exploring;
    if (trace && trace->generation == trace_generation() && trace->schedule == config.schedule &&
        trace->reason == config.reason && trace->exploring == exploring)
        return;
    if (!trace) trace = std::make_unique<ExecutionTrace>();
    const std::string place = place_text(execution.site()->identity());
    const std::string text = place + kLabelSeparator + to_string(config.schedule) + kLabelSeparator +
                             std::string(config.reason) + kLabelSeparator + (exploring ? "exploring" : "");
    const std::uint32_t number = trace_text(text);
    const bool first = trace->generation != trace_generation();
    *trace = {.schedule = config.schedule,
              .reason = config.reason,
              .exploring = exploring,
              .label = number,
              .place = first ? trace_text(place) : trace->place,
              .generation = trace_generation(),
              .shares = std::move(trace->shares)};
}

/// @return false: there is no memory, and it is not in the trace
bool prepare(Execution& execution, std::size_t slots) noexcept {
    try {
        label(execution);
        std::vector<TracedShare>& shares = execution.trace()->shares;
        if (shares.size() < slots) shares = std::vector<TracedShare>(slots);
        return true;
    } catch (const std::bad_alloc&) {
        execution.trace().reset();
        return false;
    }
}

void* open(const gimbal_loop_desc* desc) {
    void* const opened = gimbal_loop_open(desc);
    if (!opened) return nullptr;
    auto& execution = *static_cast<Execution*>(opened);
    if (!prepare(execution, desc->workers + desc->surplus)) return opened;
    const std::uint32_t label = execution.trace()->label;
    const std::uint32_t before = execution.site()->exchange_traced(label);
    TraceRing* const ring = trace_ring();
    if (ring && before != label) ring->put(TraceKind::decision, label);
    return opened;
}

/// Where the thread is, if that is not where it was.
void note_processor(TraceRing& ring) noexcept {
    const int here = sched_getcpu();
    if (here == ring.processor || here < 0) return;
    if (ring.processor >= 0)
        ring.put(TraceKind::processor,
                 pair_of(static_cast<std::uint64_t>(ring.processor), static_cast<std::uint64_t>(here)));
    ring.processor = here;
}

/// From here on gimbal_share_next() finds nothing in a share, so that every draw comes to next().
void hide(gimbal_share& share, TracedShare& traced) noexcept {
    traced.real = share;
    share.step = share.step_end = 0;
    share.counter = nullptr;
    share.tracer = &traced;
    share.traced = 1;
}

// A loop of one thread gets its chunks from libomp all at once, before it runs any: they are not worth a record.
bool runs_alone(const Execution& execution) noexcept {
    return execution.workers() == 1 && execution.config().surplus == 0;
}

void begin(void* opened, uint32_t worker, gimbal_share* share) {
    gimbal_loop_begin(opened, worker, share);
    auto& execution = *static_cast<Execution*>(opened);
    TraceRing* const ring = trace_ring();
    if (!ring || !execution.trace()) return;
    if (worker == 0) calibrate_trace();
    note_processor(*ring);
    ExecutionTrace& trace = *execution.trace();
    const std::uint64_t now = ticks();
    ring->put(TraceKind::loop_size, now, execution.plan().iterations);
    ring->put(TraceKind::loop_begin, now, pair_of(trace.label, worker));
    if (runs_alone(execution)) return;
    ring->in_chunk = false;
    ring->unrecorded = trace_every() > 0 ? trace_every() - 1 : 0;  // the first one is recorded
    TracedShare& traced = trace.shares[worker];
    traced.ring = ring;
    traced.thread = ring->thread();
    if (share->fast) hide(*share, traced);
}

/// A chunk was drawn: a record of it, or of the end of the one before.
inline void note_chunk(TraceRing& ring, std::uint64_t first, std::uint64_t size) noexcept {
    if (++ring.unrecorded == trace_every()) [[likely]] {
        ring.unrecorded = 0;
        ring.in_chunk = true;
        return ring.put_chunk(ticks(), first, size);
    }
    if (!ring.in_chunk) return;
    ring.in_chunk = false;
    ring.put(TraceKind::chunk_end, 0);
}

void note_steal(TraceRing& ring, const ExecutionTrace& trace, std::uint32_t victim, std::uint64_t size) noexcept {
    if (victim < trace.shares.size())
        ring.put(TraceKind::steal, pair_of(trace.shares[victim].thread, std::min<std::uint64_t>(size, UINT32_MAX)));
}

/// By the longer way: queues, chunks that are timed, and the rest.
__attribute__((noinline)) int next_slowly(gimbal_share* share, uint64_t* first, uint64_t* end) {
    auto& execution = *static_cast<Execution*>(share->execution);
    ExecutionTrace* const trace = execution.trace().get();
    TraceRing* const ring = trace_ring();
    if (!ring || !trace || runs_alone(execution)) return gimbal_loop_next(share, first, end);
    const std::uint32_t steals = execution.steals(share->worker).count;
    const int got = gimbal_loop_next(share, first, end);
    if (got) {
        const WorkerSteals after = execution.steals(share->worker);
        if (after.count != steals) note_steal(*ring, *trace, after.victim, *end - *first);
        note_chunk(*ring, *first, *end - *first);
    }
    if (share->fast) hide(*share, trace->shares[share->worker]);
    return got;
}

int next(gimbal_share* share, uint64_t* first, uint64_t* end) {
    if (!share->traced) return next_slowly(share, first, end);
    TracedShare& traced = *static_cast<TracedShare*>(share->tracer);
    if (!gimbal_share_next(&traced.real, first, end)) return 0;
    // Not copied: a pair of words that has just been written one by one takes long to be read at once.
    share->chunks += 1;
    share->iterations += *end - *first;
    note_chunk(*traced.ring, *first, *end - *first);
    return 1;
}

/// What an execution showed, when its last worker has left.
void note_figures(TraceRing& ring, const Execution& execution) noexcept {
    std::uint64_t longest = 0, sum = 0, first = UINT64_MAX;
    for (std::uint32_t i = 0; i < execution.workers(); ++i) {
        const WorkerRecord& record = execution.slots()[i].record;
        longest = std::max(longest, record.end - record.begin);
        sum += record.end - record.begin;
        first = std::min(first, record.begin);
    }
    const auto counter = [&](TraceKind kind, double value) {
        ring.put(kind, pair_of(execution.trace()->place, std::bit_cast<std::uint32_t>(static_cast<float>(value))));
    };
    if (sum > 0)
        counter(TraceKind::imbalance,
                static_cast<double>(longest) * execution.workers() / static_cast<double>(sum) - 1);
    const double fraction = execution.config().setting.fraction;
    if (fraction >= 0) counter(TraceKind::fraction, fraction);
}

void leave(gimbal_share* share) {
    const auto& execution = *static_cast<const Execution*>(share->execution);
    gimbal_loop_leave(share);
    TraceRing* const ring = trace_ring();
    if (!ring || !execution.trace()) return;
    ring->in_chunk = false;
    ring->put(TraceKind::loop_end, 0);
}

void close(void* left) {
    TraceRing* const ring = trace_ring();
    const auto& execution = *static_cast<const Execution*>(left);
    if (ring && execution.trace() && execution.workers() > 1) note_figures(*ring, execution);
    gimbal_loop_close(left);
}

int end(gimbal_share* share) {
    auto* const execution = static_cast<Execution*>(share->execution);
    leave(share);
    if (!execution->is_last()) return 0;
    close(execution);
    return 1;
}

void barrier(gimbal_barrier_moment moment) {
    TraceRing* const ring = trace_ring();
    if (!ring) return;
    if (ring->in_barrier) ring->put(TraceKind::barrier_end, 0);
    ring->in_barrier = moment != GIMBAL_BARRIER_LEFT;
    if (ring->in_barrier) ring->put(TraceKind::barrier_begin, moment == GIMBAL_BARRIER_REGION_ENDS ? 1 : 0);
}

constexpr gimbal_traced_loop_calls kCalls = {
    .open = open, .begin = begin, .next = next, .end = end, .leave = leave, .close = close, .barrier = barrier};

}  // namespace

}  // namespace gimbal

extern "C" const gimbal_traced_loop_calls* gimbal_traced_calls(void) {
    return gimbal::tracing() ? &gimbal::kCalls : nullptr;
}
