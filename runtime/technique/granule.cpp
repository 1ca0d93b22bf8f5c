// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/granule.hpp"

#include <algorithm>
#include <cmath>

#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"

namespace gimbal {

namespace {

// So many granules in iterations; what goes beyond the end of the loop, where the product could wrap round, ends there.
constexpr std::uint64_t iterations_of(std::uint64_t granules, std::uint64_t granule,
                                      std::uint64_t iterations) noexcept {
    return granules > iterations / granule ? iterations : granules * granule;
}

void scale(Plan& plan, std::uint64_t granule, const LoopShape& shape) {
    const auto scaled = [&](std::uint64_t& size) { size = iterations_of(size, granule, shape.iterations); };
    scaled(plan.chunk);
    scaled(plan.grain);
    std::for_each(plan.starts.begin(), plan.starts.end(), scaled);
    std::for_each(plan.shares.begin(), plan.shares.end(), scaled);
    // Chunks that are sized later are sized in iterations.
    if (plan.claim == Claim::adaptive) plan.statistics = shape.statistics;
}

bool goes_by_position(const Plan& plan) noexcept {
    return plan.claim == Claim::weighted || plan.claim == Claim::adaptive;
}

}  // namespace

Plan granular_plan(const Technique& technique, const LoopShape& shape, std::uint64_t granule, std::uint64_t least) {
    const std::uint64_t n = shape.iterations;
    const std::uint64_t unit = granule_of(granule, shape.chunk);
    granule = std::min(unit, std::max<std::uint64_t>(n, 1));  // one that is longer than the loop is the loop
    LoopShape granules = shape;
    granules.iterations = technique::ceil_div(n, granule);
    granules.chunk = shape.chunk ? 1 : technique::ceil_div(least, granule);
    // Deviations are such that those of several iterations add up as if they were independent (decisions/0005).
    granules.statistics.mean *= static_cast<double>(granule);
    granules.statistics.sd *= std::sqrt(static_cast<double>(granule));
    Plan plan = technique.plan(granules);
    if (n > technique::kLongestByPosition && goes_by_position(plan)) plan = technique::plan_fac2(granules);
    plan.iterations = n;
    plan.unit = unit;
    if (granule > 1) scale(plan, granule, shape);
    return plan;
}

}  // namespace gimbal
