// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <utility>

#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

// How many deviations of a chunk's time the taper leaves room for; Lucco's alpha.
constexpr double kAlpha = 1.0;

/// ceil(T + v^2/2 - v sqrt(2T + v^2/4)) with T = R / P; 0 where that is negative, which is for T < v^2.
std::uint64_t tapered(std::uint64_t remaining, std::uint64_t workers, double v) noexcept {
    if (v == 0) return ceil_div(remaining, workers);  // exact for every R
    const double share = static_cast<double>(remaining) / static_cast<double>(workers);
    if (share / v <= v) return 0;
    return ceil_of(share + v * v / 2 - v * std::sqrt(2 * share + v * v / 4));
}

/// Tapering: like GSS, but every chunk is shorter by what its time may spread, v = alpha sigma / mu.
/// @param shape  N, P, minimum chunk, and statistics: mu and sigma in the same unit
/// @return tapered chunks; GSS's if sigma = 0; fac2's plan while the statistics are unknown
/// @errors std::bad_alloc  @threads any  @cost O(steps)
/// @source Lucco 1992; test: tests/unit/technique/sequence_test.cpp
Plan plan_tap(const LoopShape& shape) {
    if (!usable(shape.statistics)) return plan_fac2(shape);
    const double v = kAlpha * shape.statistics.sd / shape.statistics.mean;
    PlanBuilder plan(shape);
    while (!plan.done()) plan.take(tapered(plan.remaining(), workers_of(shape), v));
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kTap{{.name = "tap",
                                       .aliases = {},
                                       .family = "planned",
                                       .summary = "Tapering: gss, shortened by the spread of the iteration times.",
                                       .parameter = kMinimumChunk,
                                       .source = "Lucco 1992",
                                       .needs_statistics = true},
                                      plan_tap};

}  // namespace gimbal::technique
