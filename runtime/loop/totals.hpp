// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loop/execution.hpp"
#include "measure/record.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// Sums over the executions of a loop; what the exit report is made of.
/// @threads guarded by its owner
struct LoopTotals {
    struct Use {
        Choice choice;
        std::string_view reason;
        bool exploring = false;
        std::uint64_t calls = 0;
        double loop_time = 0;  ///< sum over these [ticks]
        std::uint64_t iterations = 0;
    };

    std::uint64_t calls = 0;
    std::uint64_t iterations = 0;
    std::uint64_t chunks = 0;
    std::uint64_t fallbacks = 0;
    double loop_time = 0;  ///< sum over executions [ticks]
    double busy_max = 0;   ///< sum over executions of max(L) [ticks]
    double busy_mean = 0;  ///< sum over executions of mean(L) [ticks]
    std::vector<Use> uses;

    void add(const LoopRecord& record, const Manner& manner, bool exploring);
};

/// Add the sums that the workers keep in their slots to `per_worker`.
void add_sums(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& per_worker);

/// What an execution showed, from its workers' slots.
/// @param slots    [P] of workers that have left
/// @param workers  out: [P] storage that the record points into
[[nodiscard]] LoopRecord record_of(std::span<const WorkerSlot> slots, std::vector<WorkerRecord>& workers);

}  // namespace gimbal
