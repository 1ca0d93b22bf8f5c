// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/totals.hpp"

#include <algorithm>

namespace gimbal {

namespace {
constexpr std::size_t kMostUses = 64;
}  // namespace

void LoopTotals::add(const LoopRecord& record, const Manner& manner, bool exploring) {
    ++calls;
    iterations += record.iterations;
    chunks += record.chunks;
    loop_time += record.loop_time;
    busy_max += record.busy_max;
    busy_mean += record.busy_mean;
    const auto same = [&](const Use& use) {
        return use.choice == manner.choice && use.reason == manner.reason && use.exploring == exploring;
    };
    auto use = std::find_if(uses.begin(), uses.end(), same);
    // Chunks that follow N would make a use of every length of the loop: beyond some, only the technique counts.
    if (use == uses.end() && uses.size() >= kMostUses) {
        use = std::find_if(uses.begin(), uses.end(), [&](const Use& one) {
            return one.choice.technique == manner.choice.technique && one.reason == manner.reason &&
                   one.exploring == exploring;
        });
    }
    if (use == uses.end()) use = uses.insert(uses.end(), Use{manner.choice, manner.reason, exploring});
    ++use->calls;
    use->loop_time += record.loop_time;
    use->iterations += record.iterations;
}

void add_sums(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& per_worker) {
    if (per_worker.size() < slots.size()) per_worker.resize(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        per_worker[i].end += slots[i].sums.end;
        per_worker[i].chunks += slots[i].sums.chunks;
        per_worker[i].iterations += slots[i].sums.iterations;
    }
}

LoopRecord record_of(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& workers) {
    LoopRecord record;
    workers.clear();
    std::uint64_t first_begin = UINT64_MAX;
    std::uint64_t last_end = 0;
    double busy_sum = 0;
    for (const WorkerSlot& slot : slots) {
        const WorkerRecord& worker = slot.record;
        workers.push_back(worker);
        first_begin = std::min(first_begin, worker.begin);
        last_end = std::max(last_end, worker.end);
        const auto busy = static_cast<double>(worker.end - worker.begin);
        busy_sum += busy;
        record.busy_max = std::max(record.busy_max, busy);
        record.chunks += worker.chunks;
        record.iterations += worker.iterations;
    }
    record.busy_mean = busy_sum / static_cast<double>(slots.size());
    record.loop_time = static_cast<double>(last_end - first_begin);
    record.workers = workers;
    return record;
}

}  // namespace gimbal
