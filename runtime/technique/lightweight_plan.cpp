// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/lightweight_plan.hpp"

#include <algorithm>
#include <utility>

#include "technique/division.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

namespace {

// The plans at the ends of f_s, where nothing is left of the other part.
Plan all_static(const LoopShape& shape) {
    LoopShape blocks = shape;
    blocks.chunk = 0;
    return kStatic.plan(blocks);
}

Plan all_dynamic(const LoopShape& shape) {
    Plan plan = kSs.plan(shape);
    if (shape.admission >= 1 || plan.steps == 0) return plan;
    // Thinned out requests take the long way; a hybrid plan in which nobody owns anything.
    return basic_plan(shape);
}

// Is a loop of `fixed` static iterations, of which the fraction asks for some, static's?
bool is_static(const LoopShape& shape, double fraction, std::uint64_t fixed) noexcept {
    const bool equal =
        std::adjacent_find(shape.weights.begin(), shape.weights.end(), std::not_equal_to<>()) == shape.weights.end();
    return fraction > 0 && fixed == shape.iterations && equal;
}

Plan queued(const LoopShape& shape, const QueueRules& rules, double fraction) {
    const std::uint64_t n = shape.iterations;
    const auto workers = static_cast<std::uint32_t>(workers_of(shape));
    Plan plan;
    plan.iterations = n;
    plan.workers = workers;
    plan.claim = Claim::queues;
    plan.rules = rules;
    plan.admission = shape.admission;
    plan.grain = std::max<std::uint64_t>(1, ceil_div(n, kMaxGrains));
    plan.chunk = plan.grain;
    plan.rules.take = std::min(ceil_div(min_chunk_of(shape), plan.grain), kMaxGrains);
    plan.workers_per_queue = std::clamp<std::uint32_t>(shape.workers_per_queue, 1, workers);
    const std::uint64_t grains = ceil_div(n, plan.grain);
    plan.steps = grains;
    const auto prefixes = static_sizes(shape.weights, fraction, grains, workers);
    std::uint64_t fixed = 0;
    for (const std::uint64_t size : prefixes) fixed += size;
    const auto tails = static_sizes({}, 1, grains - fixed, workers);
    std::uint64_t position = 0;
    std::uint64_t tail = 0;
    for (std::uint32_t i = 0; i < workers; ++i) {
        plan.prefixes.push_back({position, position + prefixes[i]});
        position += prefixes[i];
        tail += tails[i];
        if ((i + 1) % plan.workers_per_queue != 0 && i + 1 != workers) continue;
        plan.queues.push_back({position, position + tail});
        position += std::exchange(tail, 0);
    }
    return plan;
}

}  // namespace

double static_fraction_of(const LoopShape& shape) noexcept {
    return shape.fraction >= 0 ? std::min(shape.fraction, 1.0) : kDefaultFraction;
}

Plan basic_plan(const LoopShape& shape) {
    const std::uint64_t n = shape.iterations;
    const double fraction = static_fraction_of(shape);
    const std::uint64_t fixed = static_iterations(fraction, n);
    if (is_static(shape, fraction, fixed)) return all_static(shape);
    if (fixed == 0 && shape.admission >= 1) return all_dynamic(shape);
    Plan plan;
    plan.iterations = n;
    plan.workers = static_cast<std::uint32_t>(workers_of(shape));
    plan.claim = Claim::hybrid;
    plan.admission = shape.admission;
    plan.starts.push_back(0);
    plan.own.push_back(0);
    for (const std::uint64_t size : static_sizes(shape.weights, fraction, n, plan.workers)) {
        if (size > 0) plan.starts.push_back(plan.starts.back() + size);
        plan.own.push_back(plan.starts.size() - 1);
    }
    const std::uint64_t chunk = std::max(min_chunk_of(shape), ceil_div(n - fixed, kTableSteps));
    plan.starts.reserve(plan.starts.size() + ceil_div(n - fixed, chunk));
    while (plan.starts.back() < n)
        plan.starts.push_back(n - plan.starts.back() > chunk ? plan.starts.back() + chunk : n);
    plan.steps = plan.starts.size() - 1;
    return plan;
}

Plan staggered_plan(const LoopShape& shape, const QueueRules& rules) {
    const double fraction = static_fraction_of(shape);
    const std::uint64_t fixed = static_iterations(fraction, shape.iterations);
    if (is_static(shape, fraction, fixed)) return all_static(shape);
    return fixed == 0 ? all_dynamic(shape) : queued(shape, rules, fraction);
}

Plan queues_plan(const LoopShape& shape, const QueueRules& rules) {
    LoopShape single = shape;
    single.workers_per_queue = 1;
    return queued(single, rules, 0);
}

}  // namespace gimbal::technique
