// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/merge.hpp"
#include "report/metrics.hpp"

#include <algorithm>

namespace gimbal {

OverRanks over_ranks(const ByRank& values, std::uint32_t ranks) {
    OverRanks result;
    if (values.empty() || ranks == 0) return result;
    result.min = values.size() < ranks ? 0 : values.begin()->second;
    for (const auto& [rank, value] : values) {
        result.min = std::min(result.min, value);
        result.max = std::max(result.max, value);
        result.mean += value / ranks;
    }
    return result;
}

bool MergedLoop::knows_all_workers() const noexcept {
    return !sum.steals || ranks >= sum.workers;
}

bool MergedLoop::knows_imbalance() const noexcept {
    return !sum.steals || (knows_all_workers() && sum.calls == 1);
}

double MergedLoop::imbalance() const noexcept {
    return gimbal::imbalance(sum.busy_max_s, sum.busy_mean_s);
}

double MergedLoop::lost() const noexcept {
    return sum.time_s > 0 ? time_parts(sum).waiting_s / sum.time_s : 0;
}

double MergedLoop::late() const noexcept {
    return sum.time_s > 0 ? sum.late_s / sum.time_s : 0;
}

double MergedLoop::entry_exit() const noexcept {
    const double entry_exit_s = time_parts(sum).entry_exit_s;
    return entry_exit_s > 0 ? entry_exit_s / (sum.time_s + entry_exit_s) : 0;
}

double MergedLoop::scheduling_overhead() const noexcept {
    return sum.time_s > 0 ? sum.scheduling_s / sum.time_s : 0;
}

}  // namespace gimbal
