// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/totals.hpp"

#include <algorithm>
#include <array>

namespace gimbal {

namespace {
constexpr std::size_t kMaxUses = 64;
}  // namespace

void LoopTotals::add(const LoopRecord& record, const ExecutionConfig& config, bool exploring, double drawing) {
    ++calls;
    iterations += record.iterations;
    chunks += record.chunks;
    draws += drawing;
    loop_time += record.loop_time;
    note_passed(record.workers);
    busy_max += record.busy_max;
    busy_mean += record.busy_mean;
    late += record.late;
    if (record.surplus_busy > 0) borrowed += record.surplus_busy;
    // Mostly the same again.
    if (!last_ || !last_->is(config, exploring)) last_ = &use_for(config, exploring);
    last_->add(record);
}

// Executions at the same time are learnt from one after the other, roughly as they ended.
void LoopTotals::note_passed(std::span<const WorkerRecord> workers) noexcept {
    std::uint64_t begin = UINT64_MAX, end = 0;
    for (const WorkerRecord& worker : workers) {
        begin = std::min(begin, worker.begin);
        end = std::max(end, worker.end);
    }
    if (end <= until_) return;
    passed += static_cast<double>(end - std::max(begin, until_));
    until_ = end;
}

void LoopTotals::Use::add(const LoopRecord& record) noexcept {
    recent.add(calls, record.loop_time);
    if (calls == 0 || record.iterations < shortest) shortest.set(record.iterations);
    if (record.iterations > longest) longest.set(record.iterations);
    ++calls;
    loop_time += record.loop_time;
    iterations += record.iterations;
}

bool LoopTotals::Use::is(const ExecutionConfig& config, bool explores) const noexcept {
    return schedule == config.schedule && reason == config.reason && exploring == explores;
}

LoopTotals::Use& LoopTotals::use_for(const ExecutionConfig& config, bool exploring) {
    std::size_t count = 0;
    std::atomic<Use*>* end = &first_;
    for (Use* use = nullptr; (use = end->load(std::memory_order_relaxed)) != nullptr; end = &use->next, ++count)
        if (use->is(config, exploring)) return *use;
    // Chunks that follow N would make a use of every length of the loop: beyond some, only the technique counts.
    if (count >= kMaxUses)
        for (Use* use = first_.load(std::memory_order_relaxed); use; use = use->next.load(std::memory_order_relaxed))
            if (use->schedule.technique == config.schedule.technique && use->reason == config.reason &&
                use->exploring == exploring)
                return *use;
    auto* const made = new Use{config.schedule, config.reason, exploring, {}, {}, {}, {}, {}, {}};
    // Release: partner of the acquire loads of those who read without the lock.
    end->store(made, std::memory_order_release);
    return *made;
}

LoopTotals::~LoopTotals() {
    for (Use* use = first_.load(std::memory_order_relaxed); use;) {
        Use* const next = use->next.load(std::memory_order_relaxed);
        delete use;
        use = next;
    }
}

// Workers may be writing them, where a process ends beside its loops.
GIMBAL_RACES void add_sums(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& per_worker) {
    if (per_worker.size() < slots.size()) per_worker.resize(slots.size());
    WorkerRecord* sum = per_worker.data();
    for (const WorkerSlot* slot = slots.data(); slot != slots.data() + slots.size(); ++slot, ++sum) {
        sum->end += slot->sums.busy;
        sum->chunks += slot->sums.chunks;
        sum->iterations += slot->sums.iterations;
    }
}

std::span<const WorkerRecord> gather(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& out) {
    out.clear();
    out.reserve(slots.size());
    for (const WorkerSlot& slot : slots) out.push_back(slot.record);
    return out;
}

namespace {

/// From one moment to another [ticks]; a counter that went back says 0.
double between(std::uint64_t begin, std::uint64_t end) noexcept {
    return static_cast<double>(std::max<std::int64_t>(static_cast<std::int64_t>(end - begin), 0));
}

}  // namespace

LoopRecord record_of(std::span<const WorkerRecord> workers) noexcept {
    LoopRecord record;
    record.workers = workers;
    std::uint64_t first_begin = UINT64_MAX, last_begin = 0;
    std::uint64_t last_end = 0;
    std::uint64_t begins = 0;  // their sum, which may wrap round: so does what is taken from it
    double busy_sum = 0;
    for (const WorkerRecord& worker : workers) {
        first_begin = std::min(first_begin, worker.begin);
        last_begin = std::max(last_begin, worker.begin);
        begins += worker.begin;
        last_end = std::max(last_end, worker.end);
        const double busy = between(worker.begin, worker.end);
        busy_sum += busy;
        record.busy_max = std::max(record.busy_max, busy);
        if (worker.stole_at > 0) record.stolen += between(worker.stole_at, worker.end);
        record.chunks += worker.chunks;
        record.iterations += worker.iterations;
    }
    record.busy_mean = busy_sum / static_cast<double>(workers.size());
    if (busy_sum > 0) record.stolen /= busy_sum;
    const double mean_late =
        static_cast<double>(begins - workers.size() * first_begin) / static_cast<double>(workers.size());
    record.late = std::max(mean_late, static_cast<double>(last_begin - first_begin) - record.busy_mean);
    record.loop_time = between(first_begin, last_end);
    return record;
}

void add_surplus(std::span<const WorkerSlot> slots, LoopRecord& record) {
    for (const WorkerSlot& slot : slots) {
        record.surplus_busy += between(slot.record.begin, slot.record.end);
        record.chunks += slot.record.chunks;
        record.iterations += slot.record.iterations;
    }
}

}  // namespace gimbal
