// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace gimbal {

/// Smallest, mean and largest of one figure over ranks.
struct OverRanks {
    double min = 0, mean = 0, max = 0;
};

/// One loop over all ranks. A loop is the same on two ranks if name and team size are.
struct MergedLoop {
    LoopSummary sum;          ///< everything added up over ranks; per_worker is empty
    OverRanks time_s;         ///< loop time of each rank; a rank that never ran the loop counts as 0 [s]
    std::uint32_t ranks = 0;  ///< ranks that ran it [count]

    /// max/mean - 1 over threads, from the sums over executions and ranks; 0 if nothing was measured.
    [[nodiscard]] double imbalance() const noexcept;
    /// 1 - mean/max over threads.
    [[nodiscard]] double lost() const noexcept;
    /// Time in dispatch as a part of loop time.
    [[nodiscard]] double scheduling_overhead() const noexcept;
};

/// The records of one job as one view.
struct MergedRun {
    std::vector<MergedLoop> loops;      ///< largest time first
    std::uint32_t ranks_seen = 0;       ///< ranks that wrote a record [count]
    std::uint32_t ranks = 1;            ///< ranks of the job [count]
    std::uint32_t threads = 0;          ///< largest team [count]
    OverRanks wall_s;                   ///< from load to exit [s]
    double rank_balance = 1;            ///< mean/max over ranks of the time in all loops; 1: perfect
    double dispatch_ns = 0;             ///< mean over records [ns]
    std::vector<std::string> warnings;  ///< each once
};

/// @param records  at least one; several of one rank (one after the other) add up
/// @errors std::bad_alloc  @threads any  @cost O(records * loops * log loops)
[[nodiscard]] MergedRun merge(std::span<const RunRecord> records);

}  // namespace gimbal
