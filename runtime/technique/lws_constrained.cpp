// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/lightweight_plan.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

namespace {

constexpr double kAdmission = 0.5;

Plan plan_constrained(const LoopShape& shape) {
    LoopShape thinned = shape;
    if (thinned.admission >= 1) thinned.admission = kAdmission;
    return basic_plan(thinned);
}

}  // namespace

/// Lightweight scheduling whose requests for the shared part are let in with a probability of one half, so that fewer
/// workers hit the shared counter at once. engine/admission.hpp bounds the waiting.
/// @source Kale, lw-sched (there without a bound)
constinit const PlannedTechnique kLwsConstrained{
    {.name = "lws-constrained",
     .aliases = {},
     .family = "lightweight",
     .summary = "As lws; requests for the shared part are thinned out, so that fewer collide.",
     .parameter = kFractionParameter,
     .source = "Kale, lw-sched",
     .measured_chunk = true,
     .fraction = FractionSource::fixed},
    plan_constrained};

}  // namespace gimbal::technique
