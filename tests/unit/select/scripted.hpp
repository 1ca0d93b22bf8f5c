// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "gimbal/schedule.hpp"
#include "select/portfolio.hpp"
#include "select/selector.hpp"

/// Loops whose executions take what a test says, so that a selector's choices follow by hand.
namespace gimbal::test {

/// A tick is a microsecond here, N is 1000 and P is 4 unless a test says otherwise.
inline LoopContext context_of(std::uint64_t iterations = 1000, std::uint32_t workers = 4) {
    LoopContext context;
    context.iterations = iterations;
    context.workers = workers;
    context.tick_s = 1e-6;
    return context;
}

/// An execution of `time_s` in which LB = (max - mean) / max * P / (P - 1) is `imbalance_percent`.
inline LoopRecord record_of(double time_s, double imbalance_percent = 0, const LoopContext& context = context_of()) {
    const double p = context.workers;
    LoopRecord record;
    record.iterations = context.iterations;
    record.loop_time = time_s / context.tick_s;
    record.busy_max = record.loop_time;
    record.busy_mean = p > 1 ? record.busy_max * (1 - imbalance_percent / 100 * (p - 1) / p) : record.busy_max;
    record.chunks = context.workers;
    return record;
}

inline std::string name_of(const Decision& decision) {
    return to_string(decision.schedule);
}

/// Choose, and learn at once. @return what ran
inline Decision step(Selector& selector, const LoopRecord& record, const LoopContext& context = context_of()) {
    const Decision decision = selector.choose(context);
    if (!decision.named) selector.learn(decision, record, context);
    return decision;
}

/// The place of a decision in a portfolio.
inline std::size_t place_of(const Decision& decision, const Portfolio& portfolio) {
    std::size_t place = 0;
    while (place < portfolio.size() && portfolio[place].technique != decision.schedule.technique) ++place;
    return place;
}

}  // namespace gimbal::test
