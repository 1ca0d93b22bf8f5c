// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/claim_width.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace gimbal {

namespace {

constexpr std::uint64_t kWidest = 16;     // beyond this the atomic is already a small part of a chunk
constexpr double kLongestClaim_us = 1.0;  // a claim that cannot be balanced may take this long
constexpr double kSharePerWorker = 64;    // a worker makes at least this many claims
constexpr double kTooFarApart = 0.01;     // of the loop time, between the first and the last worker to leave
constexpr unsigned kMaxSetbacks = 10;     // so at most about a thousand executions until the next try

}  // namespace

bool ClaimWidth::applies(const Plan& plan) noexcept {
    return plan.claim == Claim::shared && plan.starts.empty() && plan.chunk == 1;
}

std::uint64_t ClaimWidth::width(const Plan& plan) const noexcept {
    if (width_ == 1 || !applies(plan)) return 1;
    const double most = static_cast<double>(plan.steps) / (kSharePerWorker * plan.workers);
    return most < static_cast<double>(width_) ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(most)) : width_;
}

void ClaimWidth::learn(const LoopRecord& record, const Plan& plan) noexcept {
    if (!applies(plan) || record.chunks == 0) return;
    if (wait_ > 0) {
        --wait_;
        return;
    }
    std::uint64_t first_out = UINT64_MAX;
    std::uint64_t last_out = 0;
    for (const WorkerRecord& worker : record.workers) {
        first_out = std::min(first_out, worker.end);
        last_out = std::max(last_out, worker.end);
    }
    const double microsecond = ticks_per_microsecond();
    const auto apart = static_cast<double>(last_out - first_out);
    const double step = record.busy_mean * plan.workers / static_cast<double>(record.chunks);
    if (width_ > 1 && apart > std::max(kTooFarApart * record.loop_time, 2 * kLongestClaim_us * microsecond)) {
        width_ = 1;
        setbacks_ = std::min(setbacks_ + 1, kMaxSetbacks);
        wait_ = std::uint64_t{1} << setbacks_;
        return;
    }
    if (step * static_cast<double>(width_) > kLongestClaim_us * microsecond) {
        width_ = 1;
    } else if (width_ < kWidest && 2 * step * static_cast<double>(width_) < kLongestClaim_us * microsecond) {
        width_ *= 2;
    } else if (setbacks_ > 0) {
        --setbacks_;
    }
}

}  // namespace gimbal
