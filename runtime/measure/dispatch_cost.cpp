// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/dispatch_cost.hpp"

#include <algorithm>
#include <atomic>

#include "base/clock.hpp"
#include "gimbal/share.h"

namespace gimbal {

namespace {

#if defined(GIMBAL_SIMULATED_RANKS)

// Virtual time does not pass while code runs: what it takes on a core of today [ns].
double measure_dispatch() {
    return 20;
}

double measure_timestamp() {
    return 20;
}

#else

double measure_dispatch() {
    constexpr int kBursts = 5;  // a microsecond each: the first loop waits for them
    constexpr std::uint64_t kChunks = 200;
    double best = 1e9;
    for (int burst = 0; burst < kBursts; ++burst) {
        alignas(128) std::uint64_t counter = 0;
        gimbal_share share{};
        share.counter = &counter;
        share.claim = 1;
        share.step_inc = 1;
        share.steps = kChunks;
        share.chunk = 1;
        share.trip = kChunks;
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        const std::uint64_t begin = ticks();
        while (gimbal_share_next(&share, &first, &end)) {
        }
        best = std::min(best, static_cast<double>(ticks() - begin) / static_cast<double>(kChunks));
    }
    // The calls by which a program comes here and goes back to its loop: 25 ns a draw from a queue of its own, where
    // the draw itself takes one.
    constexpr double kAround_us = 20e-3;
    return best + kAround_us * ticks_per_microsecond();
}

double measure_timestamp() {
    constexpr int kBursts = 5;
    constexpr int kStamps = 100;
    double best = 1e9;
    for (int burst = 0; burst < kBursts; ++burst) {
        const std::uint64_t begin = ticks();
        for (int i = 1; i < kStamps; ++i) static_cast<void>(ticks());
        best = std::min(best, static_cast<double>(ticks() - begin) / kStamps);
    }
    return std::max(best, 1e-3);
}

#endif

// Not a static that is guarded while it is made: a signal handler that interrupts the measurement, and ends the
// process, would wait for itself. Two threads that measure at the same time keep the first result.
double once(std::atomic<double>& known, double (*measurement)()) noexcept {
    double cost = known.load(std::memory_order_relaxed);
    if (cost > 0) return cost;
    const double measured = measurement();
    return known.compare_exchange_strong(cost, measured, std::memory_order_relaxed) ? measured : cost;
}

std::atomic<double> timestamp_cost{0};
std::atomic<double> dispatch_cost{0};

}  // namespace

double undisturbed_draws(const Plan& plan, std::uint64_t chunks, std::uint64_t claim, double contention) noexcept {
    std::uint64_t shared = chunks;
    const bool own_is_free = plan.queues.empty() || plan.rules.parts > 0;
    if (plan.workers <= 1 || plan.claim == Claim::owned || (plan.claim == Claim::queues && own_is_free))
        shared = 0;
    else if (plan.claim == Claim::hybrid && own_is_free && !plan.own.empty())
        shared = std::min(chunks, plan.steps - std::min(plan.steps, plan.own.back()));
    const double more = (contention - 1) / static_cast<double>(std::max<std::uint64_t>(1, claim));
    return static_cast<double>(chunks) + more * static_cast<double>(shared);
}

double sampling_ticks() noexcept {
    return 2 * once(timestamp_cost, measure_timestamp);
}

double dispatch_ticks() noexcept {
    return once(dispatch_cost, measure_dispatch);
}

}  // namespace gimbal
