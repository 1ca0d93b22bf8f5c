// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <gimbal/loop.h> with a trace: other functions, so that nothing of this is asked where there is none.
#include "gimbal/traced_calls.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "gimbal/schedule.hpp"
#include "loop/site.hpp"
#include "loop/watch.hpp"
#include "trace/recorder.hpp"

namespace gimbal {

namespace {

std::string place_text(const SiteIdentity& identity) {
    if (!identity.name.empty()) return identity.name;
    return identity.module + TraceLabel::kPlaceSeparator + std::to_string(identity.offset);
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
    const std::string text = place + TraceLabel::kSeparator + to_string(config.schedule) + TraceLabel::kSeparator +
                             std::string(config.reason) + TraceLabel::kSeparator + (exploring ? "exploring" : "");
    const std::uint32_t number = trace_text(text);
    const bool first = trace->generation != trace_generation();
    *trace = {.schedule = config.schedule,
              .reason = config.reason,
              .exploring = exploring,
              .label = number,
              .place = first ? trace_text(place) : trace->place,
              .generation = trace_generation(),
              .threads = std::move(trace->threads)};
}

void* open(const gimbal_loop_desc* desc) {
    void* const opened = gimbal_loop_open(desc);
    if (!opened) return nullptr;
    auto& execution = *static_cast<Execution*>(opened);
    label(execution);
    ExecutionTrace& trace = *execution.trace();
    const std::size_t slots = desc->workers + desc->surplus;
    if (trace.threads.size() < slots) trace.threads.resize(slots);
    const std::uint32_t before = execution.site()->exchange_traced(trace.label);
    TraceRing* const ring = trace_ring();
    if (ring && before != trace.label) ring->put(TraceKind::decision, trace.label);
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

void begin(void* opened, uint32_t worker, gimbal_share* share) {
    gimbal_loop_begin(opened, worker, share);
    share->watched = 1;
    TraceRing* const ring = trace_ring();
    const auto& execution = *static_cast<Execution*>(opened);
    if (!ring || !execution.trace()) return;
    if (worker == 0) calibrate_trace();
    note_processor(*ring);
    ExecutionTrace& trace = *execution.trace();
    if (worker < trace.threads.size()) trace.threads[worker] = ring->thread();
    const std::uint64_t now = ticks();
    ring->put(TraceKind::loop_size, now, execution.plan().iterations);
    ring->put(TraceKind::loop_begin, now, pair_of(trace.label, worker));
    ring->in_chunk = false;
    ring->unrecorded = trace_every() > 0 ? trace_every() - 1 : 0;  // the first one is recorded
}

void note_steal(TraceRing& ring, const Execution& execution, std::uint32_t victim, std::uint64_t size) noexcept {
    const std::vector<std::uint32_t>& threads = execution.trace()->threads;
    if (victim < threads.size())
        ring.put(TraceKind::steal, pair_of(threads[victim], std::min<std::uint64_t>(size, UINT32_MAX)));
}

/// A chunk was drawn: a record of it, or of the end of the one before.
void note_chunk(TraceRing& ring, std::uint64_t first, std::uint64_t size) noexcept {
    if (++ring.unrecorded == trace_every()) {
        ring.unrecorded = 0;
        ring.in_chunk = true;
        return ring.put_chunk(ticks(), first, size);
    }
    if (!ring.in_chunk) return;
    ring.in_chunk = false;
    ring.put(TraceKind::chunk_end, 0);
}

// A loop of one thread gets its chunks from libomp all at once, before it runs any: they are not worth a record.
int next(gimbal_share* share, uint64_t* first, uint64_t* end) {
    TraceRing* const ring = trace_ring();
    auto& execution = *static_cast<Execution*>(share->execution);
    if (!ring || execution.workers() == 1) [[unlikely]]
        return gimbal_loop_next(share, first, end);
    if (share->fast) [[likely]] {
        const int got = gimbal_share_next(share, first, end);
        if (got) note_chunk(*ring, *first, *end - *first);
        return got;
    }
    const std::uint32_t steals = execution.steals(share->worker).count;
    const int got = gimbal_loop_next(share, first, end);
    if (!got) return 0;
    const WorkerSteals after = execution.steals(share->worker);
    if (after.count != steals && execution.trace()) note_steal(*ring, execution, after.victim, *end - *first);
    note_chunk(*ring, *first, *end - *first);
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

int end(gimbal_share* share) {
    if (thread_watch) [[unlikely]]
        thread_watch->leave(*share);
    auto* const execution = static_cast<Execution*>(share->execution);
    TraceRing* const ring = trace_ring();
    const bool last = execution->end(*share);
    if (ring) {
        ring->in_chunk = false;
        ring->put(TraceKind::loop_end, 0);
    }
    if (!last) return 0;
    if (ring && execution->workers() > 1) note_figures(*ring, *execution);
    execution->site()->close(execution);
    return 1;
}

void barrier(gimbal_barrier_moment moment) {
    TraceRing* const ring = trace_ring();
    if (!ring) return;
    if (ring->in_barrier) ring->put(TraceKind::barrier_end, 0);
    ring->in_barrier = moment != GIMBAL_BARRIER_LEFT;
    if (ring->in_barrier) ring->put(TraceKind::barrier_begin, moment == GIMBAL_BARRIER_REGION_ENDS ? 1 : 0);
}

constexpr gimbal_traced_loop_calls kCalls = {.open = open, .begin = begin, .next = next, .end = end, .barrier = barrier};

}  // namespace

}  // namespace gimbal

extern "C" const gimbal_traced_loop_calls* gimbal_traced_calls(void) {
    return gimbal::tracing() ? &gimbal::kCalls : nullptr;
}
