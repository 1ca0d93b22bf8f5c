// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gimbal/technique.hpp"

namespace gimbal {

/// How GoogleTest names a technique: not by its address, which changes from run to run.
inline void PrintTo(const Technique* technique, std::ostream* out) {
    *out << technique->info().name;
}

}  // namespace gimbal

namespace gimbal_test {

using Sizes = std::vector<std::uint64_t>;

inline const gimbal::Technique& technique_named(std::string_view name) {
    const gimbal::Technique* technique = gimbal::find_technique(name);
    if (!technique) throw std::runtime_error("no technique " + std::string(name));
    return *technique;
}

/// Chunk sizes of a plan, step by step; only for plans that are not weighted.
inline Sizes sizes_of(const gimbal::Plan& plan) {
    Sizes sizes;
    for (std::uint64_t k = 0; k < plan.steps; ++k) sizes.push_back(plan.first(k + 1) - plan.first(k));
    return sizes;
}

inline Sizes sizes_of(std::string_view name, const gimbal::LoopShape& shape) {
    return sizes_of(technique_named(name).plan(shape));
}

/// `groups` of {size, how often}, spelled out.
inline Sizes expand(const std::vector<std::pair<std::uint64_t, int>>& groups) {
    Sizes sizes;
    for (const auto& [size, times] : groups) sizes.insert(sizes.end(), static_cast<std::size_t>(times), size);
    return sizes;
}

inline std::string describe(const gimbal::LoopShape& shape) {
    return "N=" + std::to_string(shape.iterations) + " P=" + std::to_string(shape.workers) +
           " chunk=" + std::to_string(shape.chunk) + " sd=" + std::to_string(shape.statistics.sd) +
           (shape.statistics.known ? " (known)" : "") + " weights=" + std::to_string(shape.weights.size());
}

inline bool same_plan(const gimbal::Plan& a, const gimbal::Plan& b) {
    return a.iterations == b.iterations && a.workers == b.workers && a.claim == b.claim && a.steps == b.steps &&
           a.chunk == b.chunk && a.starts == b.starts && a.shares == b.shares && a.own == b.own &&
           a.admission == b.admission && a.grain == b.grain && a.workers_per_queue == b.workers_per_queue &&
           a.rules == b.rules && a.prefixes == b.prefixes && a.queues == b.queues && a.order == b.order;
}

/// The techniques whose plans are complete before the loop starts.
inline std::vector<const gimbal::Technique*> planned_techniques() {
    std::vector<const gimbal::Technique*> planned;
    for (const gimbal::Technique* technique : gimbal::techniques())
        if (!technique->adaptive()) planned.push_back(technique);
    return planned;
}

__extension__ using Wide = unsigned __int128;

// A table may have 2^20 steps and then 2^19 for the tail; issue and plan_builder.hpp.
inline constexpr std::uint64_t kMaxTable = (1u << 20) + (1u << 19);

/// Why the ranges do not hold [0, end) exactly once; empty if they do.
inline std::string flaw_of_partition(std::vector<gimbal::Range> ranges, std::uint64_t end) {
    std::erase_if(ranges, [](const gimbal::Range& range) { return range.first == range.end; });
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::uint64_t covered = 0;
    for (const gimbal::Range& range : ranges) {
        if (range.first != covered || range.end < range.first) return "hole or overlap at " + std::to_string(covered);
        covered = range.end;
    }
    return covered == end ? "" : "ends at " + std::to_string(covered) + " instead of " + std::to_string(end);
}

/// Why prefixes and queues do not hold every grain of the loop once; empty if they do.
inline std::string flaw_of_queues(const gimbal::Plan& plan, std::uint64_t least) {
    const std::uint64_t workers = plan.workers;
    const std::uint64_t sharers = plan.workers_per_queue;
    if (sharers < 1 || plan.grain < 1 || plan.rules.take < 1) return "no workers per queue, grain or draw";
    if (plan.prefixes.size() != workers) return "not a prefix for every worker";
    if (plan.queues.size() != (workers + sharers - 1) / sharers) return "wrong number of queues";
    std::uint64_t grains = plan.steps;
    if (plan.starts.empty()) {
        const std::uint64_t n = plan.iterations;
        grains = n / plan.grain + (n % plan.grain == 0 ? 0 : 1);
        if (!plan.order.empty()) return "an order without a table";
        if (!plan.rules.takes_part && Wide{plan.rules.take} * plan.grain < std::min(least, n)) return "draw too small";
    } else {
        if (plan.order.size() != plan.steps) return "order has the wrong length";
        std::vector<bool> seen(plan.steps);
        for (const std::uint64_t step : plan.order) {
            if (step >= plan.steps || seen[step]) return "order is no permutation";
            seen[step] = true;
        }
    }
    std::vector<gimbal::Range> ranges = plan.prefixes;
    ranges.insert(ranges.end(), plan.queues.begin(), plan.queues.end());
    const std::string flaw = flaw_of_partition(std::move(ranges), grains);
    return flaw.empty() ? "" : "prefixes and queues: " + flaw;
}

/// Why the steps do not belong to workers in order; empty if they do.
inline std::string flaw_of_own(const gimbal::Plan& plan) {
    if (plan.own.size() != std::size_t{plan.workers} + 1) return "own has the wrong length";
    if (plan.own.front() != 0 || plan.own.back() > plan.steps) return "own does not lie within the steps";
    return std::is_sorted(plan.own.begin(), plan.own.end()) ? "" : "own goes backward";
}

/// Why a plan without a table of steps does not cover [0, N) in chunks of [min(c, N), N]; empty if it does.
inline std::string flaw_of_constant(const gimbal::Plan& plan, std::uint64_t least) {
    const std::uint64_t n = plan.iterations;
    if (!plan.shares.empty() || plan.claim == gimbal::Claim::weighted) return "weighted, but no batches";
    if (n == 0) return {};
    if (plan.chunk < std::min(least, n) || plan.chunk > n) return "chunk out of bounds";
    const bool covers = Wide{plan.steps} * plan.chunk >= n && Wide{plan.steps - 1} * plan.chunk < n;
    return covers ? "" : "steps * chunk does not cover N";
}

/// Why the plan does not hand out [0, N) exactly once in chunks of [min(c, R), R]; empty if it does. A worker's own
/// steps may be shorter than c: the chunk of those techniques is that of the shared part.
inline std::string flaw_of(const gimbal::Plan& plan, const gimbal::LoopShape& shape) {
    const std::uint64_t n = shape.iterations;
    const std::uint64_t least = std::max<std::uint64_t>(shape.chunk, 1);
    if (plan.iterations != n || plan.workers != shape.workers) return "N or P differ";
    if ((plan.steps == 0) != (n == 0)) return "steps and N disagree about an empty loop";
    const bool queues = plan.claim == gimbal::Claim::queues;
    const bool hybrid = plan.claim == gimbal::Claim::hybrid;
    if (hybrid && n > 0 && plan.starts.empty()) return "hybrid without a table";
    std::string flaw = queues ? flaw_of_queues(plan, least) : (hybrid ? flaw_of_own(plan) : "");
    if (!flaw.empty()) return flaw;
    if (plan.starts.empty()) return queues ? "" : flaw_of_constant(plan, least);
    if (plan.starts.size() != plan.steps + 1) return "starts has the wrong length";
    if (plan.steps > kMaxTable) return "table too long";
    if (plan.starts.front() != 0 || plan.starts.back() != n) return "starts does not span [0, N]";
    const bool blocks = plan.claim == gimbal::Claim::owned;
    const std::uint64_t own = hybrid ? plan.own.back() : (blocks ? plan.steps : 0);
    for (std::uint64_t k = 0; k < plan.steps; ++k) {
        if (plan.starts[k] >= plan.starts[k + 1]) return "empty or backward step " + std::to_string(k);
        const std::uint64_t size = plan.starts[k + 1] - plan.starts[k];
        const std::uint64_t allowed = k < own ? 1 : std::min(least, n - plan.starts[k]);
        if (size < allowed) return "step below the minimum: " + std::to_string(k);
    }
    return {};
}

}  // namespace gimbal_test
