// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "lightweight/formulas.hpp"
#include "technique/division.hpp"

namespace gimbal::test {

/// When the last worker finishes a region, event by event: equal static blocks, then single iterations from one queue,
/// which the worker takes that is free first. Worker 0 starts `delay` late.
inline double finish_of(const RegionModel& region, double static_fraction, double delay) {
    const auto iterations = static_cast<std::uint64_t>(region.iterations);
    const auto workers = static_cast<std::uint32_t>(region.workers);
    std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
    const auto blocks = static_sizes({}, static_fraction, iterations, workers);
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
        free_at.push((worker == 0 ? delay : 0) + static_cast<double>(blocks[worker]) * region.iteration_time);
    }
    for (std::uint64_t i = static_iterations(static_fraction, iterations); i < iterations; ++i) {
        const double begin = free_at.top();
        free_at.pop();
        free_at.push(begin + region.iteration_time + region.dequeue);
    }
    double last = 0;
    for (; !free_at.empty(); free_at.pop()) last = std::max(last, free_at.top());
    return last;
}

}  // namespace gimbal::test
