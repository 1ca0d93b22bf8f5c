// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loop/execution.hpp"
#include "measure/record.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// A sum that one thread at a time adds to while others may read it. An ordinary load and store: nothing is ordered.
template <class Number>
class Sum {
public:
    operator Number() const noexcept { return value_.load(std::memory_order_relaxed); }
    void operator+=(Number more) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }
    void operator++() noexcept { *this += 1; }

private:
    std::atomic<Number> value_{0};
};

/// Sums over the executions of a loop; what the report is made of.
/// @threads add() is guarded by the owner; the sums can be read at any time, if need be without its lock: then the last
///          execution may be in some of them only
struct LoopTotals {
    struct Use {
        Choice choice;
        std::string_view reason;
        bool exploring = false;
        Sum<std::uint64_t> calls;
        Sum<double> loop_time;  ///< sum over these [ticks]
        Sum<std::uint64_t> iterations;
        std::atomic<Use*> next = nullptr;  // in order of first use
    };

    LoopTotals() = default;
    ~LoopTotals();
    LoopTotals(const LoopTotals&) = delete;
    LoopTotals& operator=(const LoopTotals&) = delete;

    Sum<std::uint64_t> calls;
    Sum<std::uint64_t> iterations;
    Sum<std::uint64_t> chunks;
    Sum<std::uint64_t> fallbacks;
    Sum<double> loop_time;  ///< sum over executions [ticks]
    Sum<double> busy_max;   ///< sum over executions of max(L) [ticks]
    Sum<double> busy_mean;  ///< sum over executions of mean(L) [ticks]

    /// The first use; nullptr: none yet. Acquire: whoever sees a use sees what it is of.
    [[nodiscard]] const Use* first_use() const noexcept { return first_.load(std::memory_order_acquire); }

    void add(const LoopRecord& record, const Manner& manner, bool exploring);

private:
    Use& use_for(const Manner& manner, bool exploring);

    std::atomic<Use*> first_ = nullptr;
};

/// Add the sums that the workers keep in their slots to `per_worker`.
void add_sums(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& per_worker);

/// What an execution showed, from its workers' slots.
/// @param slots    [P] of workers that have left
/// @param workers  out: [P] storage that the record points into
[[nodiscard]] LoopRecord record_of(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& workers);

}  // namespace gimbal
