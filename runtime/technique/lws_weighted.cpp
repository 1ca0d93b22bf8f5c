// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/lightweight_plan.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

/// Lightweight scheduling with a static part for each worker in proportion to its speed, as the static parts of
/// earlier executions showed it.
/// @source Kale 2011 (weighted); test: tests/unit/technique/lightweight_test.cpp
constinit const PlannedTechnique kLwsWeighted{
    {.name = "lws-weighted",
     .aliases = {},
     .family = "lightweight",
     .summary = "As lws, with static parts in proportion to the workers' speeds.",
     .parameter = kFractionParameter,
     .source = "Kale 2011",
     .needs_weights = true,
     .weighs_static_part = true,
     .measured_chunk = true,
     .fraction = FractionSource::fixed},
    basic_plan};

}  // namespace gimbal::technique
