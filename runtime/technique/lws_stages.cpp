// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "technique/division.hpp"
#include "technique/lightweight_plan.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

namespace {

/// n-stage scheduling: the first stage is static; each later one hands out half of what remains, in P chunks, so that
/// chunks shrink from stage to stage down to c; what no stage has taken ends in chunks of c.
/// docs/decisions/0009-n-stage.md says how this reading of the name came about.
Plan plan_stages(const LoopShape& shape) {
    const std::uint64_t n = shape.iterations;
    Plan plan = basic_plan(shape);
    if (plan.claim != Claim::hybrid) return plan;
    const std::uint64_t least = std::max(min_chunk_of(shape), ceil_div(n, kTableSteps));
    plan.starts.resize(plan.own.back() + 1);
    while (plan.starts.back() < n) {
        const std::uint64_t remaining = n - plan.starts.back();
        const std::uint64_t chunk = std::max(least, ceil_div(remaining, 2 * std::uint64_t{plan.workers}));
        for (std::uint32_t i = 0; i < plan.workers && plan.starts.back() < n; ++i) {
            const std::uint64_t left = n - plan.starts.back();
            plan.starts.push_back(plan.starts.back() + std::min(chunk, left));
        }
    }
    plan.steps = plan.starts.size() - 1;
    return plan;
}

}  // namespace

/// @source Kale, thesis outline (n-stage scheduling); test: tests/unit/technique/lightweight_test.cpp
constinit const PlannedTechnique kLwsStages{
    {.name = "lws-stages",
     .aliases = {},
     .family = "lightweight",
     .summary = "A static stage, then stages of half of what remains, in P chunks each.",
     .parameter = kFractionParameter,
     .source = "Kale, thesis outline",
     .measured_chunk = true,
     .fraction = FractionSource::fixed},
    plan_stages};

}  // namespace gimbal::technique
