// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/execution.hpp"
#include "measure/recent_times.hpp"
#include "measure/record.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// A sum of 64 bits that one thread at a time adds to while others may read it: one load and one store, nothing is
/// ordered. Not std::atomic: for a double gcc takes that through integer registers, which made the end of a loop 8 ns
/// longer. The race is on purpose, and no machine with 64-bit loads and stores shows half of one.
template <class Number>
class Sum {
    static_assert(sizeof(Number) == 8);

public:
    GIMBAL_RACES operator Number() const noexcept { return value_; }
    GIMBAL_RACES void operator+=(Number more) noexcept { value_ = value_ + more; }
    void operator++() noexcept { *this += 1; }
    GIMBAL_RACES void set(Number value) noexcept { value_ = value; }

private:
    volatile Number value_ = 0;
};

/// Sums over the executions of a loop; what the report is made of.
/// @threads add() is guarded by the owner; the sums can be read at any time, if need be without its lock: then the last
///          execution may be in some of them only
struct LoopTotals {
    struct Use {
        Schedule schedule;
        std::string_view reason;
        bool exploring = false;
        Sum<std::uint64_t> calls;
        Sum<double> loop_time;  ///< sum over these [ticks]
        Sum<std::uint64_t> iterations;
        Sum<std::uint64_t> shortest;  ///< smallest N among these [iterations]
        Sum<std::uint64_t> longest;   ///< largest N among these [iterations]
        RecentTimes recent;
        std::atomic<Use*> next = nullptr;  // in order of first use

        void add(const LoopRecord& record) noexcept;
        [[nodiscard]] bool is(const ExecutionConfig& config, bool explores) const noexcept;
    };

    LoopTotals() = default;
    ~LoopTotals();
    LoopTotals(const LoopTotals&) = delete;
    LoopTotals& operator=(const LoopTotals&) = delete;

    Sum<std::uint64_t> calls;
    Sum<std::uint64_t> iterations;
    Sum<std::uint64_t> chunks;
    Sum<std::uint64_t> fallbacks;
    Sum<double> draws;      ///< what drawing these cost, as undisturbed_draws()
    Sum<double> loop_time;  ///< sum over executions [ticks]
    Sum<double> passed;     ///< time in which any of them ran, roughly: what ran at the same time counts once [ticks]
    Sum<double> busy_max;   ///< sum over executions of max(L) [ticks]
    Sum<double> busy_mean;  ///< sum over executions of mean(L) [ticks]
    Sum<double> borrowed;   ///< that surplus workers had a core of another rank, their sum [ticks]
    Sum<double> late;       ///< sum over executions of the mean of begin_i minus first begin [ticks]

    /// The first use; nullptr: none yet. Acquire: a thread that sees a use sees what it is of.
    [[nodiscard]] const Use* first_use() const noexcept { return first_.load(std::memory_order_acquire); }

    /// @param drawing  undisturbed_draws() of the execution
    void add(const LoopRecord& record, const ExecutionConfig& config, bool exploring, double drawing);

private:
    void note_passed(std::span<const WorkerRecord> workers) noexcept;
    Use& use_for(const ExecutionConfig& config, bool exploring);

    std::atomic<Use*> first_ = nullptr;
    Use* last_ = nullptr;      // of the last execution
    std::uint64_t until_ = 0;  // the latest end so far [ticks]
};

/// Add the sums that the workers keep in their slots to `per_worker`.
void add_sums(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& per_worker);

/// What the workers saw of an execution that they have left. @param out  storage @return [P] in there
std::span<const WorkerRecord> gather(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& out);

/// What an execution showed. @param workers  [P]; the record points there
[[nodiscard]] LoopRecord record_of(std::span<const WorkerRecord> workers) noexcept;
/// What surplus workers did besides: their iterations and chunks, and how long they had a core.
void add_surplus(std::span<const WorkerSlot> slots, LoopRecord& record);

}  // namespace gimbal
