// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <utility>

#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

// LB4OMP's faca takes its chunks another way but hands out the same ones.
constexpr std::string_view kAliases[] = {"faca", "mfac"};

/// Factoring: batches of P equal chunks, as large as the spread of the iteration times allows if the batch is to end
/// before the rest of the loop is done.
///
/// b = P sigma / (2 mu sqrt(R)); x = 1 + b^2 + b sqrt(b^2 + 2) for the first batch, 2 + b^2 + b sqrt(b^2 + 4) later.
/// @param shape  N, P, minimum chunk, and statistics: mu and sigma as real numbers in the same unit
/// @return batches of ceil(R / (x P)); fac2's plan while the statistics are unknown
/// @errors std::bad_alloc  @threads any  @cost O(steps)
/// @source Hummel, Schonberg, Flynn 1992; test: tests/unit/technique/sequence_test.cpp
Plan plan_fac(const LoopShape& shape) {
    if (!usable(shape.statistics)) return plan_fac2(shape);
    const double workers = static_cast<double>(workers_of(shape));
    const double spread = shape.statistics.sd / shape.statistics.mean;
    PlanBuilder plan(shape);
    for (double start = 1; !plan.done(); start = 2) {
        const double remaining = static_cast<double>(plan.remaining());
        const double b = workers * spread / (2 * std::sqrt(remaining));
        const double x = start + b * b + b * std::sqrt(b * b + 2 * start);
        plan.take_batch(ceil_of(remaining / (x * workers)));
    }
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kFac{
    {.name = "fac",
     .aliases = kAliases,
     .family = "planned",
     .summary = "Factoring: batches sized by mean and deviation of the iteration times.",
     .parameter = kMinimumChunk,
     .source = "Hummel, Schonberg, Flynn 1992",
     .needs_statistics = true},
    plan_fac};

}  // namespace gimbal::technique
